import { Injectable } from '@nestjs/common';
import { Tool, ToolCall } from 'nest-gatehouse';
import { OrderDto } from '../orders/order.dto.js';
import { CarrierGateway } from './carrier.gateway.js';

/** Fails on purpose: the model learns that it failed, an auditor learns why. */
@Injectable()
export class CarrierTools {
  constructor(private readonly carrier: CarrierGateway) {}

  @Tool({
    name: 'flaky_carrier_status',
    description: 'Ask the carrier where the parcel of an order is',
    target: ({ order }: OrderDto) => ({ type: 'order', id: String(order) }),
  })
  async carrierStatus({ order }: OrderDto, { signal }: ToolCall): Promise<string> {
    return this.carrier.status(order, signal);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CARRIER_DELAY } from './carrier.delay.js';
import { CarrierError } from './carrier.error.js';

/** The carrier's tracking system: slow, and broken on purpose. */
@Injectable()
export class CarrierGateway {
  constructor(@Inject(CARRIER_DELAY) private readonly delayMs: number) {}

  /** Always throws: `CarrierError` after a while, or what the signal was aborted with. */
  async status(order: number, signal: AbortSignal): Promise<string> {
    // The timer would throw an error of its own.
    await pause(this.delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    throw new CarrierError(
      `connection to postgres://carrier:tracking-password@carrier-db:5432/tracking lost during ` +
        `"SELECT status FROM shipments WHERE order_id = ${order}"`,
    );
  }
}

import { IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { OrderDto } from '../orders/order.dto.js';

const MOST_CENTS = 1_000_000_00;

/** What the model says to refund. */
export class RefundOrderDto extends OrderDto {
  /** Cents. */
  @IsInt()
  @Min(1)
  @Max(MOST_CENTS)
  @JSONSchema({ description: 'Cents: 2500 is 25.00 EUR' })
  amount!: number;
}

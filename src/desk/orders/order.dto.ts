import { IsInt, Min } from 'class-validator';

/** What the model says to name an order. */
export class OrderDto {
  /** The order's number, from 1001 up. */
  @IsInt()
  @Min(1)
  order!: number;
}

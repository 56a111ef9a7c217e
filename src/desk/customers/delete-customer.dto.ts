import { IsInt, Min } from 'class-validator';

/** What the model says to delete a customer. */
export class DeleteCustomerDto {
  /** The customer's number. */
  @IsInt()
  @Min(1)
  customer!: number;
}

import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Money that went back. */
@Entity({ schema: 'desk', name: 'refunds' })
export class Refund {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer', name: 'order_id' })
  orderId!: number;

  @Column({ type: 'integer', name: 'amount_cents' })
  amountCents!: number;

  /** Unique: the same operation pays once, however often it is tried. */
  @Column({ type: 'text', name: 'idempotency_key' })
  idempotencyKey!: string;
}

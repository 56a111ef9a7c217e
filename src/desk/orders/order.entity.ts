import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What somebody bought. */
@Entity({ schema: 'desk', name: 'orders' })
export class Order {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'integer', name: 'customer_id' })
  customerId!: number;

  @Column({ type: 'text' })
  item!: string;

  @Column({ type: 'text' })
  status!: 'paid' | 'shipped' | 'delivered';

  @Column({ type: 'integer', name: 'total_cents' })
  totalCents!: number;

  @Column({ type: 'timestamptz', name: 'receipt_sent_at', nullable: true })
  receiptSentAt!: Date | null;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Somebody who buys. */
@Entity({ schema: 'desk', name: 'customers' })
export class Customer {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  email!: string;
}

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inEuros } from '../money.js';

/** What the desk turned over. */
export interface DeskReport {
  readonly orders: number;
  readonly turnover: string;
  readonly refunds: number;
  readonly refunded: string;
}

interface Totals {
  readonly orders: number;
  readonly turnover: number;
  readonly refunds: number;
  readonly refunded: number;
}

const TOTALS = `
  select count(*)::integer as orders,
         coalesce(sum(o.total_cents), 0)::float8 as turnover,
         coalesce(sum(r.times), 0)::integer as refunds,
         coalesce(sum(r.cents), 0)::float8 as refunded
    from desk.orders o
    left join lateral (
      select count(*) as times, sum(amount_cents) as cents from desk.refunds where order_id = o.id
    ) r on true
   where o.organization_id = $1`;

/** Figures of an organization. */
@Injectable()
export class ReportsService {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  async totals(organizationId: string): Promise<DeskReport> {
    const [totals] = await this.database.query<Totals[]>(TOTALS, [organizationId]);
    const { orders, turnover, refunds, refunded } = totals ?? { orders: 0, turnover: 0, refunds: 0, refunded: 0 };
    return { orders, turnover: inEuros(turnover), refunds, refunded: inEuros(refunded) };
  }
}

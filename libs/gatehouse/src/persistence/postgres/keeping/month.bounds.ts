import { boundsOf } from '../../../values/ledger/log.month.js';

/**
 * SQL that is true of the ids of one month. Tables are read as a whole, of which the planner takes the month's partition alone: nobody but the owner
 * has rights on partitions.
 *
 * @throws RangeError for what is no month
 */
export function inMonth(id: string, month: string): string {
  const { low, high } = boundsOf(month);
  return `${id} >= '${low}' AND ${id} < '${high}'`;
}

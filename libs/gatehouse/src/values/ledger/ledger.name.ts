import { sha256Hex } from '../digest.js';
import { visibleText } from '../visible-text.js';

const LONGEST = 256;
const KEPT = 230;

/**
 * A name as a column that is indexed takes it: visible, at most 256 code points. A longer one keeps its start and ends with the start of its
 * digest, so that two long names do not become one. The SQL function `ledger_name` does the same.
 */
export function ledgerName(name: string): string {
  const visible = visibleText(name);
  if (visible.length <= LONGEST) return visible;
  const points = Array.from(visible);
  return points.length <= LONGEST ? visible : `${points.slice(0, KEPT).join('')}…#${sha256Hex(visible).slice(0, 16)}`;
}

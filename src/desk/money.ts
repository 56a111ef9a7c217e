const CURRENCY = 'EUR';

/** Integer cents as people read them: 2500 is `25.00 EUR`. */
export const inEuros = (cents: number): string => `${(cents / 100).toFixed(2)} ${CURRENCY}`;

/** `25`, `25.5` or `25.00` as integer cents; nothing for any other text. */
export function toCents(text: string): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

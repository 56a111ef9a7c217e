import type { ProposedCall } from 'nest-gatehouse';
import { call } from 'nest-gatehouse/testing';
import { toCents } from '../../desk/money.js';

/** One sentence that the scripted model understands. */
interface Sentence {
  readonly example: string;
  readonly pattern: RegExp;
  readonly call: (...words: readonly string[]) => ProposedCall;
}

const SENTENCES: readonly Sentence[] = [
  {
    example: 'look up order 1001',
    pattern: /^look ?up order (\d+)$/i,
    call: (order) => call('lookup_order', { order: Number(order) }),
  },
  {
    example: 'search orders of customer 3',
    pattern: /^search orders of customer (\d+)$/i,
    call: (customer) => call('search_orders', { customer: Number(customer) }),
  },
  {
    example: 'refund order 1001 25.00',
    pattern: /^refund order (\d+) (\d+(?:\.\d{1,2})?)$/i,
    call: (order, amount = '') => call('refund_order', { order: Number(order), amount: toCents(amount) ?? amount }),
  },
  {
    example: 'send receipt for order 1001',
    pattern: /^send (?:the )?receipt for order (\d+)$/i,
    call: (order) => call('send_receipt', { order: Number(order) }),
  },
  {
    example: 'delete customer 7',
    pattern: /^delete customer (\d+)$/i,
    call: (customer) => call('delete_customer', { customer: Number(customer) }),
  },
  { example: 'export report', pattern: /^export (?:the )?report$/i, call: () => call('export_report') },
  {
    example: 'check carrier status of order 1001',
    pattern: /^check (?:the )?carrier status of order (\d+)$/i,
    call: (order) => call('flaky_carrier_status', { order: Number(order) }),
  },
  { example: 'list all customers', pattern: /^list all customers$/i, call: () => call('list_all_customers') },
];

/** One example of each sentence. */
export const EXAMPLES: readonly string[] = SENTENCES.map(({ example }) => example);

/** What a user's text asks for: the calls of each response, in order. Nothing where a part of it is not understood. */
export function responsesFor(text: string): readonly (readonly ProposedCall[])[] | undefined {
  const responses: readonly (readonly (ProposedCall | undefined)[])[] = parts(text, /,?\s+then\s+/i).map((response) =>
    parts(response, /,?\s+and\s+/i).map(callFor),
  );
  const understood = responses.filter(isUnderstood);
  return understood.length === responses.length ? understood : undefined;
}

const parts = (text: string, separator: RegExp): readonly string[] => text.split(separator).map(plain);

const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').replace(/[.!]$/, '');

function callFor(text: string): ProposedCall | undefined {
  for (const { pattern, call } of SENTENCES) {
    const match = pattern.exec(text);
    if (match !== null) return call(...match.slice(1));
  }
  return undefined;
}

const isUnderstood = (calls: readonly (ProposedCall | undefined)[]): calls is readonly ProposedCall[] =>
  calls.every((call) => call !== undefined);

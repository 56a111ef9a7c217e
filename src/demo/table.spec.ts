import { table } from './table.js';

it('a table aligns its columns and leaves empty what is null', () => {
  const rows = [
    { toolName: 'refund_order', success: true, error: null },
    { toolName: 'agent.run', success: false, error: 'cancelled' },
  ];
  expect(table(rows, ['toolName', 'success', 'error'])).toBe(
    [
      '  toolName     | success | error',
      '  -------------+---------+----------',
      '  refund_order | true    |',
      '  agent.run    | false   | cancelled',
    ].join('\n'),
  );
});

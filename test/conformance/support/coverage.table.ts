import type { NumberedTitle } from './numbered.titles.js';

/** What became of one scenario: `covered`, `not applicable: why` or `differs: why`. */
export interface Coverage {
  readonly number: number;
  readonly verdict: string;
}

const HEADINGS = ['Scenario', 'Verdict', 'Test', 'File'] as const;

/** The folder's README: what the numbers are, then one row for each. */
export const coverageTable = (coverage: readonly Coverage[], titles: readonly NumberedTitle[]): string => {
  const rows = coverage.map(({ number, verdict }) => {
    const [test] = titles.filter(({ numbers }) => numbers.includes(number)).toSorted(conformanceFirst);
    return [String(number), verdict, test === undefined ? '' : code(test.title), test === undefined ? '' : link(test)];
  });
  return `${INTRODUCTION}\n\n${table([[...HEADINGS], ...rows])}\n`;
};

const INTRODUCTION = `# Conformance

One test for each promise that Gatehouse took over from the projects it is built on: Nighthawk (1 to 102), Django Spec Agents (103 to 245),
orqest (246 to 327), the places where those promises meet (328 to 355), and races, forgeries and crashes (356 to 377). The number stands first in the title of its test, so
that \`npm run jest -- test -t '\\\\[33\\\\]'\` runs one of them. Beside the scenarios, \`properties/\` plays random scripts of models, tools,
inspectors, hooks, middleware and approvers, and checks what must hold in each of them; \`npm run soak:properties\` plays thousands.

The table is checked: every number has exactly one verdict in \`table/*.json\`, and every covered one a test with its number.
\`WRITE_TABLE=1 npm run jest -- test/conformance/table\` writes it again.`;

/** The conformance test of a number comes before a unit's own. */
const conformanceFirst = ({ file: one }: NumberedTitle, { file: other }: NumberedTitle): number =>
  Number(isConformance(other)) - Number(isConformance(one));

const isConformance = (file: string): boolean => file.startsWith('test/conformance/');

const link = ({ file }: NumberedTitle): string => {
  const from = isConformance(file) ? file.replace('test/conformance/', '') : `../../${file}`;
  return `[${file.split('/').at(-1)}](${from})`;
};

const code = (title: string): string => `\`${title.replaceAll('`', "'").replaceAll('\\', '').replaceAll('|', '/')}\``;

/** Every column as wide as its widest cell: how the formatter wants a table. */
const table = (rows: readonly (readonly string[])[]): string => {
  const widths = HEADINGS.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join('\n');
};

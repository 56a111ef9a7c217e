import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { coverageTable, type Coverage } from './support/coverage.table.js';
import { numberedTitles } from './support/numbered.titles.js';

const SCENARIOS = 377;
const folder = import.meta.dirname;
const root = resolve(folder, '../..');

const areas = readdirSync(join(folder, 'table')).map((file) => ({
  file,
  verdicts: JSON.parse(readFileSync(join(folder, 'table', file), 'utf8')) as Readonly<Record<string, string>>,
}));
const titles = numberedTitles(root);
const tested = new Set(titles.flatMap(({ numbers }) => numbers));
const coverage: readonly Coverage[] = areas
  .flatMap(({ verdicts }) => Object.entries(verdicts))
  .map(([number, verdict]) => ({ number: Number(number), verdict }))
  .toSorted((one, other) => one.number - other.number);

describe('the table of scenarios', () => {
  it('has each number from 1 to 377 exactly once, in one area', () => {
    expect(coverage.map(({ number }) => number)).toEqual(Array.from({ length: SCENARIOS }, (_, at) => at + 1));
  });

  it('says of each that it is covered, or why not', () => {
    const unclear = coverage.filter(({ verdict }) => !/^(covered|(not applicable|differs): \S.{9,})$/.test(verdict));
    expect(unclear).toEqual([]);
  });

  it('has a test, with its number first in the title, for each that is covered', () => {
    const untested = coverage.filter(({ number, verdict }) => verdict === 'covered' && !tested.has(number));
    expect(untested).toEqual([]);
  });

  it('does not call what has a test not applicable, and knows every number of a test', () => {
    const absent = new Set(coverage.filter(({ verdict }) => verdict.startsWith('not')).map(({ number }) => number));
    expect([...tested].filter((number) => absent.has(number) || number < 1 || number > SCENARIOS)).toEqual([]);
  });

  it('stands in the README as it is', () => {
    const file = join(folder, 'README.md');
    const expected = coverageTable(coverage, titles);
    if (process.env['WRITE_TABLE'] === '1') writeFileSync(file, expected);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  });
});

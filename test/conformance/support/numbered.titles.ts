import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test, or a row of one, whose title names the scenario it covers. */
export interface NumberedTitle {
  readonly numbers: readonly number[];
  readonly title: string;
  /** From the root of the repository. */
  readonly file: string;
}

// The title stands in the source as a text that begins with its number: `'[33] a rejection …'`.
const TITLE = /(['"`])(\[\d+(?:-\d+)?\][\s,;[\d\]-]* \S.*?)\1/g;
const NUMBER = /\[(\d+)(?:-(\d+))?\]/g;

const numbersOf = (title: string): readonly number[] =>
  [...title.matchAll(NUMBER)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at),
  );

const specsIn = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('spec.ts'))
    .map((file) => `${folder}/${file}`);

/** Every numbered title in the specs of a repository, file by file. */
export const numberedTitles = (root: string): readonly NumberedTitle[] =>
  [...specsIn(root, 'test'), ...specsIn(root, 'libs')].toSorted().flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(TITLE)].map(([, , title = '']) => ({
      numbers: numbersOf(title),
      title: title.replaceAll(NUMBER, '').trim(),
      file,
    })),
  );

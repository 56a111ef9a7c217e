import { readFile } from 'node:fs/promises';
import { VERSION } from './version.js';

it('is the version of the package', async () => {
  const text = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8');
  expect(VERSION).toBe((JSON.parse(text) as { version: string }).version);
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

describe('the AI SDK this run is about', () => {
  it('is the major that the runner named', () => {
    const entry = createRequire(import.meta.url).resolve('ai');
    const manifest = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
    expect((JSON.parse(manifest) as { version: string }).version.split('.')[0]).toBe(process.env['AI_MAJOR'] ?? '7');
  });
});

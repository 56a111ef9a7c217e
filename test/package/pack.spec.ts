import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { PackedLibrary } from './packed.library.js';

describe('the package as it is published', () => {
  let library: PackedLibrary;

  beforeAll(async () => {
    library = await PackedLibrary.build();
  }, 120_000);

  afterAll(async () => {
    await library?.remove();
  });

  it('boots in an ES module application without any optional peer, lists its tool and calls it', async () => {
    const application = await library.install('esm', library.requiredPeers);
    expect(await library.play(application, 'esm.mjs')).toBe('OK ["lookup"] {"order":"A1","state":"paid"}');
  });

  it('boots in a CommonJS application without any optional peer, lists its tool and calls it', async () => {
    const application = await library.install('commonjs', library.requiredPeers);
    expect(await library.play(application, 'commonjs.cjs')).toBe('OK ["lookup"] {"order":"A1","state":"paid"}');
  });

  it('has commands that need no database, in a project that has no package for one; the others say which', async () => {
    const application = await library.install('command', library.requiredPeers);
    expect((await library.command(application, '--help')).said).toMatch(/^Usage: gatehouse/);
    expect(await library.command(application, 'verify-proof', 'nothing.json', '--key', 'x')).toEqual({
      exit: 4,
      said: 'gatehouse verify-proof: There is no such file (ENOENT)',
    });
    expect(await library.command(application, 'export', '--url', 'postgres://nowhere')).toEqual({
      exit: 4,
      said: "gatehouse export: A package is missing: install 'pg' and 'typeorm' (ERR_MODULE_NOT_FOUND)",
    });
  });

  it('loads every subpath export where all peers are installed', async () => {
    const application = await library.install('complete', library.allPeers);
    const names = Object.keys(library.manifest.exports)
      .filter((path) => path !== './package.json')
      .map((path) => path.replace(/^\./, 'nest-gatehouse'));
    expect(await library.play(application, 'subpaths.mjs', names)).toBe(
      names.map((name) => `${name} loaded`).join('\n'),
    );
  });

  it('has an exports map without a finding of publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: library.folder, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });
});

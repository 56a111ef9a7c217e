import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { ServerAccount } from '../../../src/development-database/server.account.js';

const SOURCES = fileURLToPath(new URL('../../../src/development-database/', import.meta.url));

/** What `npm start` does with its database, told line by line. SIGINT makes it use the database once more, then stop it. */
const SCRIPT = `
import pg from 'pg';
import { openDevelopmentDatabase } from './development-database.js';
import { installedBinariesIn } from './installed.binaries.js';
const [dataDirectory, binaries] = process.argv.slice(2);
const options = { persistent: true, dataDirectory, env: {}, finders: [installedBinariesIn([binaries])] };
const database = await openDevelopmentDatabase(options);
const ask = async (sql) => {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
};
const alive = setInterval(() => undefined, 1000);
process.once('SIGINT', async () => {
  console.log(JSON.stringify(await ask("select 'still answers' as answer")));
  await database.stop();
  clearInterval(alive);
});
await ask('create table if not exists kept (id int)');
console.log(JSON.stringify({ url: database.url, user: process.getuid() }));
`;

/** Where Node would find that package, seen from that folder. Its `exports` may hide its package.json from a resolver. */
function packageFolder(name: string, from: string): string {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return realpathSync(folder);
  if (from === dirname(from)) throw new Error(`The package ${name} is not installed.`);
  return packageFolder(name, dirname(from));
}

async function copyPackage(name: string, into: string, from: string): Promise<void> {
  const folder = packageFolder(name, from);
  await cp(folder, join(into, name), { recursive: true });
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
  for (const dependency of Object.keys(dependencies)) await copyPackage(dependency, into, folder);
}

/** Puts the compiled code and `pg` into a folder of their own, which accounts that cannot enter the checkout can read. */
export async function buildStarter(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(SOURCES)) {
    const source = await readFile(join(SOURCES, file), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
    });
    await writeFile(join(folder, `${basename(file, '.ts')}.js`), outputText);
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'starter.js'), SCRIPT);
  await copyPackage('pg', join(folder, 'node_modules'), SOURCES);
  return join(folder, 'starter.js');
}

/** A process that opened a kept database, in a process group of its own like a terminal's. */
export interface Starter {
  readonly child: ChildProcess;
  /** What it said first: the database's address and its own user. */
  readonly first: { readonly url: string; readonly user: number };
  /** Fulfilled with its last line when it has ended. */
  readonly last: Promise<string>;
}

/** Starts the script that {@link buildStarter} made and waits for its first line. */
export async function spawnStarter(
  script: string,
  data: string,
  binaries: string,
  account: ServerAccount = {},
): Promise<Starter> {
  const child = spawn(process.execPath, [script, data, binaries], {
    ...account,
    cwd: dirname(script),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error('The starter ended before it opened its database.');
  const last = (async (): Promise<string> => {
    let line = '';
    for (let next = await lines.next(); !next.done; next = await lines.next()) line = next.value;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return line;
  })();
  return { child, first: JSON.parse(first.value) as Starter['first'], last };
}

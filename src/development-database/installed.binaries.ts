import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BinaryFinder, BinarySearch } from './development-database.types.js';
import { examineBinaries, programIn } from './server.version.js';

/** Where distributions keep servers off the PATH; a star stands for the version. */
const USUAL_FOLDERS = [
  '/usr/lib/postgresql/*/bin', // Debian, Ubuntu
  '/usr/pgsql-*/bin', // packages of postgresql.org for Red Hat
  '/usr/libexec/postgresql*', // Alpine
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
] as const;

/** The folders a pattern with one starred step names, newest version first. */
async function expand(pattern: string): Promise<string[]> {
  const [before = '', after = ''] = pattern.split('*');
  const cut = before.lastIndexOf('/') + 1;
  const names = await readdir(before.slice(0, cut)).catch(() => []);
  return names
    .filter((name) => name.startsWith(before.slice(cut)))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(before.slice(0, cut), name, after));
}

const holdsServer = (folder: string): Promise<boolean> =>
  Promise.all([access(programIn(folder, 'initdb')), access(programIn(folder, 'postgres'))]).then(
    () => true,
    () => false,
  );

/** Looks on the PATH, then in the given folders (each may hold one star). */
export const installedBinariesIn =
  (folders: readonly string[]): BinaryFinder =>
  async (env): Promise<BinarySearch> => {
    const onPath = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
    const usual = (await Promise.all(folders.map(expand))).flat();
    const reasons: string[] = [];
    for (const folder of [...onPath, ...usual]) {
      if (!(await holdsServer(folder))) continue;
      const search = await examineBinaries('installed', folder);
      if (search.found) return search;
      reasons.push(search.reason);
    }
    return {
      reason: reasons.join('; ') || 'no initdb and postgres on the PATH or in the usual folders of this system',
    };
  };

/** Finds a server installed on this machine. */
export const installedBinaries: BinaryFinder = installedBinariesIn(USUAL_FOLDERS);

import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT_HOME } from './data.directory.js';
import type { ServerBinaries } from './development-database.types.js';
import { canEnter, type ServerAccount } from './server.account.js';

/** Lets everybody read a tree, whatever umask it was unpacked with. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}

/** Copies under another name first, so that a killed or concurrent copy is never taken for a whole one. */
async function copyTo(native: string, copy: string): Promise<void> {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  const draft = await mkdtemp(`${copy}.draft-`);
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await openToAll(draft);
    await rename(draft, copy);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * The same programs at a place where that account can read them. A checkout under /root is closed to the account that a root
 * process runs the server as, so the embedded server is copied out of it once.
 */
export async function readableBinaries(binaries: ServerBinaries, account: ServerAccount): Promise<ServerBinaries> {
  const folder = await realpath(binaries.folder);
  if (binaries.source !== 'embedded' || (await canEnter(account, folder))) return { ...binaries, folder };
  const native = dirname(folder);
  const copy = join(ROOT_HOME, `server-${binaries.version}`);
  const isCopied = (): Promise<boolean> => canEnter(account, join(copy, 'bin')).catch(() => false);
  if (!(await isCopied())) {
    await copyTo(native, copy).catch(async (error: unknown) => {
      // Another start may have finished the same copy first.
      if (!(await isCopied())) throw error;
    });
  }
  return { ...binaries, folder: join(copy, 'bin') };
}

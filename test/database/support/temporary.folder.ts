import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new folder with a space in its name that every account may enter. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'gatehouse spec '));
  await chmod(folder, 0o755);
  made.push(folder);
  return folder;
}

/** Deletes what {@link temporaryFolder} made in this file. */
export async function removeTemporaryFolders(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
}

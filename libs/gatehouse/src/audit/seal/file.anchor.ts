import { open, readFile, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Anchor } from '../../contracts/ports/anchor.js';

/**
 * Keeps the newest checkpoint in a file, which should lie where the database's administrators cannot write. It is replaced as a whole, and on
 * disk before `publish` resolves.
 */
export class FileAnchor extends Anchor {
  override readonly name: string;
  private readonly path: string;

  constructor(path: string) {
    super();
    this.path = resolve(path);
    this.name = `file:${this.path}`;
  }

  override async publish(note: string): Promise<void> {
    const next = `${this.path}.${process.pid}.new`;
    const file = await open(next, 'w', 0o644);
    try {
      await file.writeFile(note);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, this.path);
  }

  override async latest(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

import { Injectable } from '@nestjs/common';
import { SealStore } from '../../contracts/ports/seal.store.js';

/** Evidence of this process is gone with it: there is nothing to seal. */
@Injectable()
export class MemorySealStore extends SealStore {
  override lead(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override latestCheckpoint(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override anchoredSize(): Promise<number> {
    return Promise.resolve(0);
  }
}

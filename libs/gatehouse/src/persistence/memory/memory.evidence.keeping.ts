import { Injectable } from '@nestjs/common';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { EvidenceKeeping } from '../../contracts/ports/evidence.keeping.js';

/** Evidence of this process is gone with it: it has no months, and nothing of it can be held or erased. */
@Injectable()
export class MemoryEvidenceKeeping extends EvidenceKeeping {
  override ensureMonths(): Promise<void> {
    return Promise.resolve();
  }

  override months = unkept;
  override month = unkept;
  override clock = unkept;
  override droppedIn = unkept;
  override erasedIn = unkept;
  override dropMonth = unkept;
  override holdsOn = unkept;
  override placeHold = unkept;
  override releaseHold = unkept;
  override holds = unkept;
  override holdsOnSubject = unkept;
  override countErasable = unkept;
  override runsToCover = unkept;
  override erase = unkept;
}

function unkept(): Promise<never> {
  return Promise.reject(
    new ConfigurationError("Keeping evidence, holding and erasing it needs GatehouseModule's option 'persistence'."),
  );
}

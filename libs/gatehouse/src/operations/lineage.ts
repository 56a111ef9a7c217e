import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { RunScope } from './run.scope.js';

/** Where a method is running: whoever starts a run inside it becomes the child of this operation. */
export interface LineagePoint {
  readonly operationId: string;
  /** The run of that operation: what a child inherits, and shares. */
  readonly scope: RunScope;
  /** Of that operation: aborted with its run, and when it times out. */
  readonly signal: AbortSignal;
}

/** Entered once per start, in the core; read only when a run starts. */
@Injectable()
export class Lineage {
  private readonly storage = new AsyncLocalStorage<LineagePoint>();

  enter<T>(point: LineagePoint, body: () => T): T {
    return this.storage.run(point, body);
  }

  current(): LineagePoint | undefined {
    return this.storage.getStore();
  }
}

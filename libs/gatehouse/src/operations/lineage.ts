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
  /** Where the run of that operation was started. */
  readonly above?: LineagePoint;
}

/** Entered once per start, in the core; read when a run starts, and when an executor calls. */
@Injectable()
export class Lineage {
  private readonly storage = new AsyncLocalStorage<LineagePoint>();

  enter<T>(point: Omit<LineagePoint, 'above'>, body: () => T): T {
    const { operationId, scope, signal } = point;
    return this.storage.run({ operationId, scope, signal, above: this.current() }, body);
  }

  current(): LineagePoint | undefined {
    return this.storage.getStore();
  }

  /** Whether this is inside a method of that run, however deep. */
  isInside(runId: string): boolean {
    let point = this.current();
    while (point !== undefined && point.scope.runId !== runId) point = point.above;
    return point !== undefined;
  }
}

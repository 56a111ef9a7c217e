import { brand } from './gatehouse.error.js';
import { ToolSignal } from './tool.signal.js';

/** Thrown by a middleware or tool before any effect: a veto. The result goes to the model as `denied`. */
@brand('SkipToolExecution')
export class SkipToolExecution extends ToolSignal {
  constructor(readonly result: unknown) {
    super('The execution was vetoed.');
  }
}

import type { OperationFinished } from '../operation.js';
import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** An operation ended, but somebody who must know could not be told. Nothing is run again; `finished.status` is what happened. */
@brand('OperationDeliveryError')
export class OperationDeliveryError extends ControlError {
  constructor(
    readonly finished: OperationFinished,
    readonly deliveryCause: unknown,
  ) {
    super(
      `Operation ${finished.request.operationId} (${finished.request.toolName}) ended ${finished.status}, but was not delivered.`,
      {
        cause: deliveryCause,
      },
    );
  }
}

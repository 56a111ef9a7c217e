import { brand, GatehouseError } from './gatehouse.error.js';

/** A middleware or interceptor tried to start an approved call a second time. One claim buys one start. */
@brand('ApprovalSpentError')
export class ApprovalSpentError extends GatehouseError {
  constructor(
    readonly operationId: string,
    tool: string,
  ) {
    super(
      `Tool '${tool}' was already started for operation ${operationId}. An approval pays for one start: ` +
        `remove the retry around it, or let the model propose the call again.`,
    );
  }
}

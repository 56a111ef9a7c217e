import { brand, GatehouseError } from './gatehouse.error.js';

/** A program's own call needs an approval, and nobody can be asked for it. It was not started. */
@brand('NobodyToAskError')
export class NobodyToAskError extends GatehouseError {
  constructor(
    readonly toolName: string,
    readonly operationId: string,
  ) {
    super(
      `'${toolName}' needs an approval, and nobody can be asked for operation ${operationId}: a run started by a tool waits for nobody, ` +
        `and nobody decides where no principal may. Let the outer run propose the call, or name who may approve it.`,
    );
  }
}

import { brand, GatehouseError } from '../../contracts/errors/gatehouse.error.js';

/** The model's response cannot be used: it broke off, was cut, or was filtered. None of its calls ran. `cause` is the provider's own report. */
@brand('ModelResponseError')
export class ModelResponseError extends GatehouseError {
  constructor(
    /** The AI SDK's finish reason, such as `length`; `error` where the stream reported one. */
    readonly finishReason: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`The model's response ${problem}`, options);
  }
}

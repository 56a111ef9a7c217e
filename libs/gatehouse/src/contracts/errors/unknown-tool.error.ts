import { brand, GatehouseError } from './gatehouse.error.js';

/** A name that is not offered to this run. At most 50 of the offered names are listed. */
@brand('UnknownToolError')
export class UnknownToolError extends GatehouseError {
  constructor(
    readonly toolName: string,
    readonly offered: readonly string[],
  ) {
    const names = offered.slice(0, 50).join(', ');
    const more = offered.length > 50 ? ` and ${offered.length - 50} more` : '';
    super(
      `Tool '${toolName.slice(0, 64)}' does not exist. ${offered.length === 0 ? 'No tools are offered.' : `Offered: ${names}${more}.`}`,
    );
  }
}

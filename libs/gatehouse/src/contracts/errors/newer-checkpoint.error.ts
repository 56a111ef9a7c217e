import { brand, GatehouseError } from './gatehouse.error.js';

/** A newer Gatehouse stored this, and this one cannot read it. Nothing was changed: a replica of the newer version goes on with it. */
@brand('NewerCheckpointError')
export class NewerCheckpointError extends GatehouseError {
  constructor(
    /** What could not be read: a run, or the messages of a thread. */
    readonly what: string,
    readonly version: number,
  ) {
    super(
      `${what} was stored by a newer Gatehouse (checkpoint version ${version}), and this one cannot read it. It stays as it is, for a replica of that ` +
        'version: finish the rollout, or send the request again.',
    );
  }
}

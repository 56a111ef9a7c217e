import type { Principal } from '../../contracts/principal.js';
import type { Access } from '../access.js';
import type { ClientConnection } from '../client.connection.js';
import type { RunInput } from './run.input.js';

/** One AG-UI request, read and attributed. */
export interface RunEntry {
  readonly access: Access;
  readonly principal: Principal;
  readonly connection: ClientConnection;
  readonly input: RunInput;
  /** Absent: the default agent. */
  readonly agent?: string;
  readonly ipAddress?: string;
  /** Tells the client our id of the run, in a header. */
  announce(runId: string): void;
}

import type { IncomingMessage } from 'node:http';

/** The response header with our id of the run. */
export const RUN_ID_HEADER = 'Gatehouse-Run-Id';

/** What we read of a request; Express gives `ip`, the app's own guard gives `user`. */
export interface HttpRequest extends IncomingMessage {
  readonly user?: unknown;
  readonly ip?: string;
}

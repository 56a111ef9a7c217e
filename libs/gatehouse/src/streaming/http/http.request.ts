import type { IncomingMessage } from 'node:http';

/** What we read of a request; Express gives `ip`, the app's own guard gives `user`. */
export interface HttpRequest extends IncomingMessage {
  readonly user?: unknown;
  readonly ip?: string;
}

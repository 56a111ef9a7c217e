import type { Decision } from '../../contracts/approval.js';
import type { ExternalResult } from '../../contracts/deferred.call.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Principal } from '../../contracts/principal.js';
import type { UserMessage } from '../../contracts/thread.message.js';
import type { Access } from '../access.js';
import type { ClientConnection } from '../client.connection.js';
import type { StreamProtocol } from '../stream.protocol.js';

/** What a request says, whichever protocol it came in. */
export interface EntryInput {
  readonly threadId: string;
  /** The name of the segment that it opens; used once. */
  readonly segment: string;
  /** The user's last messages, oldest first. Those already stored may still be among them. */
  readonly messages: readonly UserMessage[];
  /** Which of them is sent once more, perhaps in other words. */
  readonly edited?: string;
  /** What is said to approvals that wait. */
  readonly answers: readonly Decision[];
  /** The same answers, as they read where a deferred call waits for its result. */
  readonly results?: readonly ExternalResult[];
  /** Asks for another answer to what was said last. */
  readonly again?: boolean;
  /** Becomes the run's working state. */
  readonly state?: JsonObject;
  /** Added to the run's instructions. */
  readonly context?: string;
}

/** One request for a segment of a run, read and attributed. */
export interface RunEntry {
  readonly protocol: StreamProtocol;
  readonly access: Access;
  readonly principal: Principal;
  readonly connection: ClientConnection;
  readonly input: EntryInput;
  /** Absent: the default agent. */
  readonly agent?: string;
  readonly ipAddress?: string;
  /** Tells the client our id of the run, in a header. */
  announce(runId: string): void;
}

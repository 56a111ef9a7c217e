import type { ServerAccount } from './server.account.js';

/** A PostgreSQL server's programs, found and seen to run. */
export interface ServerBinaries {
  readonly source: 'embedded' | 'installed';
  /** Folder that holds `initdb` and `postgres`. */
  readonly folder: string;
  /** Major version, for example 18. */
  readonly major: number;
  /** Full version, for example `18.4`. */
  readonly version: string;
}

/** What one way of finding a server found: its programs, or why it cannot serve. */
export type BinarySearch =
  | { readonly found: ServerBinaries; readonly reason?: undefined }
  | { readonly found?: undefined; readonly reason: string };

/** One way of finding a server's programs. Never throws; a way that does not apply gives its reason. */
export type BinaryFinder = (env: NodeJS.ProcessEnv) => Promise<BinarySearch>;

/** A folder of data that PostgreSQL has initialised, and who may touch it. */
export interface Cluster {
  /** The folder that PostgreSQL calls its data directory. */
  readonly dataFolder: string;
  /** The server's messages are appended here. */
  readonly logFile: string;
  /** Of the superuser `desk`. */
  readonly password: string;
  readonly account: ServerAccount;
}

/** How to open a database; see {@link openDevelopmentDatabase}. */
export interface DevelopmentDatabaseOptions {
  /** True keeps the data for the next start; false makes a throwaway server that is faster and not crash-safe. */
  readonly persistent: boolean;
  /** Where kept data lies. Default: `.gatehouse/postgres` in the working directory. Not used by a throwaway server. */
  readonly dataDirectory?: string;
  /** Default: `process.env`. Read for `DATABASE_URL` and `PATH` only. */
  readonly env?: NodeJS.ProcessEnv;
  /** Told, in one line each, what was found, started or cleared away. Default: silence. */
  readonly log?: (message: string) => void;
  /** Further server settings, for example `{ max_connections: '200' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The ways to look for a server, in order. Default: embedded, then installed. */
  readonly finders?: readonly BinaryFinder[];
}

/** A database that accepts connections. */
export interface DevelopmentDatabase {
  readonly url: string;
  readonly source: 'DATABASE_URL' | ServerBinaries['source'];
  /**
   * Stops the server if this process started it, and deletes a throwaway server's data. May be called twice. A server that
   * this process started also ends by itself when this process ends, however it ends.
   */
  stop(): Promise<void>;
}

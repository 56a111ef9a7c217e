import type { ClientConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';

/** How the driver itself connects to where a data source connects. */
export function clientConfig(options: DataSourceOptions): ClientConfig {
  if (options.type !== 'postgres')
    throw new ConfigurationError(`The data source must be of type 'postgres', not '${options.type}'.`);
  const { url, host, port, username, password, database, ssl } = options.replication?.master ?? options;
  const extra: unknown = options.extra;
  return {
    connectionString: url,
    host,
    port,
    user: username,
    password,
    database,
    ssl: ssl as ClientConfig['ssl'],
    connectionTimeoutMillis: options.connectTimeoutMS,
    application_name: options.applicationName,
    ...(typeof extra === 'object' ? extra : {}),
  };
}

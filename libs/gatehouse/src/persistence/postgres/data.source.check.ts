import type { DataSource } from 'typeorm';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { gatehouseEntities } from './gatehouse.entities.js';

/** @throws ConfigurationError where the data source is no Postgres, or does not know Gatehouse's entities */
export function requireEntities(dataSource: DataSource, schema: string, name?: string): void {
  const where = name === undefined ? 'The default data source' : `The data source '${name}'`;
  if (dataSource.options.type !== 'postgres') {
    throw new ConfigurationError(`${where} is of type '${dataSource.options.type}'; persistence needs 'postgres'.`);
  }
  if (gatehouseEntities(schema).every((entity) => dataSource.hasMetadata(entity))) return;
  throw new ConfigurationError(
    `${where} does not know Gatehouse's entities. Write autoLoadEntities: true in its TypeOrmModule.forRoot, or add ` +
      `...gatehouseEntities(${schema === 'gatehouse' ? '' : `'${schema}'`}) to its entities.`,
  );
}

export { gatehouseMigrations } from './gatehouse.migrations.js';
export { DEFAULT_SCHEMA } from './schema.name.js';

export { gatehouseEntities } from './gatehouse.entities.js';
export { GatehouseMigrator } from './gatehouse.migrator.js';

import { brand, GatehouseError } from './gatehouse.error.js';

/** The evidence is not what was sealed. Nothing more is signed until a person has looked. */
@brand('IntegrityError')
export class IntegrityError extends GatehouseError {}

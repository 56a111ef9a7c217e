export { describeStoreContract } from './store.contract.js';
export type { StoreUnderTest } from './tested.store.js';

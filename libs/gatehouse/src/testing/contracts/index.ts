export { describeStoreContract } from './store.contract.js';
export type { StoreUnderTest } from './store.under.test.js';

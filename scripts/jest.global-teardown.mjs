import { defaultOf } from './load-typescript.mjs';

export default await defaultOf('test/support/jest.global-teardown.ts');

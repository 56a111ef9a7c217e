import { register } from 'node:module';

// Jest loads its global hooks outside its own resolver, which would not find './x.ts' behind './x.js'.
register('@swc-node/register/esm', import.meta.url);

/** The default export of a TypeScript file of ours, loaded by Node itself. */
export const defaultOf = async (path) => (await import(new URL(`../${path}`, import.meta.url))).default;

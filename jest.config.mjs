import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const present = (path) => existsSync(fileURLToPath(new URL(path, import.meta.url)));
const supported = present('./test/support/jest.global-setup.ts') && present('./test/support/jest.global-teardown.ts');

/** Every spec, on Nest 12. @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{libs,migrations,src,test}/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist', '<rootDir>/test/support/sample/'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/dist-app'],
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/scripts/jest.resolver.cjs',
  moduleNameMapper: {
    '^nest-gatehouse$': '<rootDir>/libs/gatehouse/src/index.ts',
    '^nest-gatehouse/migrations$': '<rootDir>/migrations/index.ts',
    '^nest-gatehouse/testing$': '<rootDir>/libs/gatehouse/src/testing/index.ts',
    '^nest-gatehouse/ai-sdk$': '<rootDir>/libs/gatehouse/src/adapters/ai-sdk/index.ts',
    '^nest-gatehouse/bullmq$': '<rootDir>/libs/gatehouse/src/adapters/bullmq/index.ts',
    '^nest-gatehouse/opentelemetry$': '<rootDir>/libs/gatehouse/src/adapters/opentelemetry/index.ts',
    '^nest-gatehouse/typeorm$': '<rootDir>/libs/gatehouse/src/persistence/postgres/index.ts',
  },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: true,
            verbatimModuleSyntax: true,
          },
          experimental: { keepImportAttributes: true },
        },
      },
    ],
  },
  ...(supported
    ? { globalSetup: './scripts/jest.global-setup.mjs', globalTeardown: './scripts/jest.global-teardown.mjs' }
    : {}),
  // One more than the processors of a small machine: many tests wait for a clock.
  maxWorkers: 3,
  // Node keeps the modules of every file a worker has run: a fresh worker is cheaper than a full heap.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 60_000,
};

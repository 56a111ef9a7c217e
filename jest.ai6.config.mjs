import config from './jest.config.mjs';

const { globalSetup: _database, globalTeardown: _databaseEnd, ...rest } = config;

// One test asserts the major, so that a mapping that no longer bites is seen.
process.env.AI_MAJOR = '6';

/** The AI SDK adapter once more, with `ai` and its provider package led to major 6. No database. @type {import('jest').Config} */
export default {
  ...rest,
  testMatch: [
    '<rootDir>/test/ai-sdk/**/*.{spec,e2e-spec}.ts',
    '<rootDir>/libs/gatehouse/src/adapters/ai-sdk/**/*.spec.ts',
  ],
  moduleNameMapper: {
    ...config.moduleNameMapper,
    '^ai$': 'ai6',
    '^ai/(.*)$': 'ai6/$1',
    '^@ai-sdk/openai-compatible$': 'ai6-openai-compatible',
  },
};

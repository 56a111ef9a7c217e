import config from './jest.config.mjs';

const { globalSetup: _database, globalTeardown: _databaseEnd, ...rest } = config;

/** The pure units alone: no database is started. For the quick look while writing. @type {import('jest').Config} */
export default { ...rest, testMatch: ['<rootDir>/{libs,migrations,src}/**/*.spec.ts'] };

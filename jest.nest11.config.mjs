import config from './jest.config.mjs';

/** The Nest-facing specs once more, with every @nestjs import, also inside node_modules, led to Nest 11. @type {import('jest').Config} */
export default {
  ...config,
  testMatch: ['<rootDir>/test/{nest,e2e,runs,streaming}/**/*.{spec,e2e-spec}.ts'],
  // Faults of a line, who watches on which replica, and what becomes of a lost process are not Nest's: once is enough for the minutes they take.
  testPathIgnorePatterns: [
    ...config.testPathIgnorePatterns,
    '<rootDir>/test/streaming/(faults|watched|watches-[a-z]+|stop-and-go-on)\\.spec',
    '<rootDir>/test/runs/(cancelled|changed|database|deciders|deferred|half|late|lost|orphaned|replicas|side|suspended)\\.',
    '<rootDir>/test/runs/checkpoints/',
  ],
  moduleNameMapper: {
    ...config.moduleNameMapper,
    '^@nestjs/(common|core|platform-express|testing)$': 'nest11-$1',
    '^@nestjs/(common|core|platform-express|testing)/(.*)$': 'nest11-$1/$2',
  },
};

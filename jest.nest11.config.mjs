import config from './jest.config.mjs';

/** The Nest-facing specs once more, with every @nestjs import, also inside node_modules, led to Nest 11. @type {import('jest').Config} */
export default {
  ...config,
  testMatch: ['<rootDir>/test/{nest,e2e,runs}/**/*.{spec,e2e-spec}.ts'],
  moduleNameMapper: {
    ...config.moduleNameMapper,
    '^@nestjs/(common|core|platform-express|testing)$': 'nest11-$1',
    '^@nestjs/(common|core|platform-express|testing)/(.*)$': 'nest11-$1/$2',
  },
};

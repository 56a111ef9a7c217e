import config from './jest.config.mjs';

// What decides about a call, and what every decision rests on: an untried branch here is a promise nobody has looked at.
const rooms = ['operations', 'inspection', 'hooks', 'middleware', 'failure', 'approvals', 'tools', 'values'];

// Types alone leave no code, and the provider counts a file without code as one branch that nobody took.
const onlyTypes = [
  'operations/run.scope.ts',
  'operations/core.view.ts',
  'operations/roles/run.roles.ts',
  'hooks/observers/detection.ts',
  'tools/registered.tool.ts',
  'tools/tool.method.ts',
  'tools/schemas/argument.schema.ts',
  'tools/schemas/class-transformer.storage.d.ts',
];

/** The branches of the deciding rooms, tried by every spec there is. @type {import('jest').Config} */
export default {
  ...config,
  collectCoverage: true,
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  coverageReporters: ['text-summary', 'json-summary'],
  collectCoverageFrom: [
    `libs/gatehouse/src/{${rooms.join(',')}}/**/*.ts`,
    '!**/*.spec.ts',
    ...onlyTypes.map((file) => `!libs/gatehouse/src/${file}`),
  ],
  coverageThreshold: { global: { branches: 95 } },
};

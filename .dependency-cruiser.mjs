/** The layers of the library: an arrow may only point down. One row a room: what it may import besides itself. */
const library = '^libs/gatehouse/src/';
const ground = ['contracts', 'values'];
const roles = ['inspection', 'hooks', 'middleware', 'approvals', 'failure', 'audit', 'tools'];
const core = [...ground, ...roles, 'operations'];
const doors = [...core, 'runs', 'flows'];

const rooms = {
  contracts: [],
  values: ['contracts'],
  ...Object.fromEntries(roles.map((role) => [role, ground])),
  operations: [...ground, ...roles],
  runs: core,
  flows: [...core, 'runs'],
  streaming: doors,
  adapters: doors,
  persistence: ground,
};

const spec = '\\.spec\\.ts$';
const inRooms = (names) => `${library}(${names.join('|')})/`;
const package_ = (names) => `(^|/)node_modules/(@types/)?(${names.join('|')})/`;
const wiring = `${library}(gatehouse\\.module[^/]*\\.ts$|wiring/)`;
const cli = `${library}cli/`;

const layer = ([room, below]) => ({
  name: `layer-${room}`,
  comment: `${room}/ may import ${below.length ? below.join(', ') : 'nothing of ours'}.`,
  severity: 'error',
  from: { path: inRooms([room]), pathNot: spec },
  to: {
    path: '^(libs|migrations|src|test)/',
    pathNot: [inRooms([room, ...below]), ...(room === 'persistence' ? ['^migrations/'] : [])],
  },
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(rooms).map(layer),
    {
      name: 'known-rooms',
      comment: 'A folder of the library that no layer names has no place yet: add it to this file.',
      severity: 'error',
      from: { path: '^(libs|migrations|src|test)/' },
      to: { path: `${library}[^/]+/`, pathNot: inRooms([...Object.keys(rooms), 'wiring', 'cli', 'testing']) },
    },
    {
      name: 'spec-stays-below',
      comment: 'The spec of a unit may use testing/, but never the wiring: a test that boots Nest stands under test/.',
      severity: 'error',
      from: { path: `${library}.*${spec}` },
      to: { path: [wiring, cli, `${library}index\\.ts$`, '^(src|test)/'] },
    },
    {
      name: 'testing-in-no-room',
      comment: 'testing/ is for users and specs; nothing that ships to production imports it.',
      severity: 'error',
      // The reference app's scripted model and its demo are users of testing/: neither is for production.
      from: { path: '^(libs|migrations|src)/', pathNot: [spec, `${library}testing/`, '^src/(agent/scripted|demo)/'] },
      to: { path: inRooms(['testing']) },
    },
    {
      name: 'persistence-behind-ports',
      comment: 'Everybody else asks the ports in contracts/.',
      severity: 'error',
      from: {
        path: '^(libs|migrations)/',
        pathNot: [spec, wiring, cli, inRooms(['persistence', 'testing']), `${library}index\\.ts$`],
      },
      to: { path: inRooms(['persistence']) },
    },
    {
      name: 'twins-apart',
      comment: 'The memory twin and the Postgres store share contracts, not code of each other.',
      severity: 'error',
      from: { path: `${library}persistence/(memory|postgres)/` },
      to: { path: `${library}persistence/(memory|postgres)/`, pathNot: `${library}persistence/$1/` },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'A migration that follows the code would change what it once did.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^(libs|src|test)/', pathNot: inRooms(ground) },
    },
    {
      name: 'optional-adapters',
      comment: 'What needs an optional peer is reached by its own subpath, never through the main entry.',
      severity: 'error',
      from: { path: [`${library}index\\.ts$`, wiring] },
      to: { path: inRooms(['adapters', 'testing']) },
    },
    {
      name: 'only-postgres-knows-typeorm',
      severity: 'error',
      from: {
        path: '^libs/',
        pathNot: [spec, wiring, cli, `${library}persistence/postgres/`, inRooms(['testing'])],
      },
      to: { path: package_(['typeorm', '@nestjs/typeorm', 'pg']) },
    },
    {
      name: 'only-ai-sdk-knows-ai',
      severity: 'error',
      from: { path: '^(libs|migrations)/', pathNot: [spec, `${library}adapters/ai-sdk/`] },
      to: { path: package_(['ai', '@ai-sdk/[^/]+']) },
    },
    {
      name: 'only-bullmq-knows-bullmq',
      severity: 'error',
      from: { path: '^(libs|migrations)/', pathNot: [spec, `${library}adapters/bullmq/`] },
      to: { path: package_(['bullmq', '@nestjs/bullmq', 'ioredis']) },
    },
    {
      name: 'only-opentelemetry-knows-opentelemetry',
      severity: 'error',
      from: { path: '^(libs|migrations)/', pathNot: [spec, `${library}adapters/opentelemetry/`] },
      to: { path: package_(['@opentelemetry/[^/]+']) },
    },
    {
      name: 'only-streaming-knows-ag-ui',
      severity: 'error',
      from: { path: '^(libs|migrations)/', pathNot: [spec, inRooms(['streaming'])] },
      to: { path: package_(['@ag-ui/[^/]+']) },
    },
    {
      name: 'shipped-dependencies',
      comment: 'The published library may only load what its users get: dependencies and peers.',
      severity: 'error',
      from: { path: '^(libs|migrations)/', pathNot: [spec, '^libs/[^/]+/test/'] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer', 'type-only'] },
    },
    {
      name: 'library-by-name',
      comment:
        "The reference app and the tests use the library as its users do: import 'nest-gatehouse'. The stores, the tools room and what only a crash shows are also proved from inside.",
      severity: 'error',
      from: {
        path: '^(src|test)/',
        pathNot: '^test/(nest/support/tools\\.room\\.ts$|persistence/|runs/|audit/|bench/(audit|pages))',
      },
      to: { path: '^(libs|migrations)/', dependencyTypesNot: ['aliased-tsconfig-paths'] },
    },
    {
      name: 'no-cycles',
      comment: 'Types count too; only contracts/ may refer to each other in a ring.',
      severity: 'error',
      from: { pathNot: inRooms(['contracts']) },
      to: { circular: true },
    },
    {
      name: 'no-runtime-cycles-in-contracts',
      severity: 'error',
      from: { path: inRooms(['contracts']) },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist', '^test/support/sample/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types', 'require'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};

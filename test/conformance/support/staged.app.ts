import type { AuditEvent, GatehouseModuleOptions, ToolMiddleware } from 'nest-gatehouse';
import { call, captureLog, says, type ExecutorLine, type LoggedLine } from 'nest-gatehouse/testing';
import { boot, KeptRecords, type Boot, type GovernedApp } from '../../support/governed/governed.app.js';
import { Stage, STAGED, type Body } from './staged.tools.js';
import { wrapping } from './wrappers.js';

/** An execution record as the scenarios write it: tool, arguments, success, error, size of the result. */
export type RecordLine = readonly [string, string, boolean, string | null, number | null];

export const recordLine = (event: AuditEvent): RecordLine => [
  event.toolName,
  event.argumentsRepr,
  event.success,
  event.error,
  event.resultSize,
];

/** The records of tools; what the run itself came to is another matter. */
export const toolLines = (app: GovernedApp): RecordLine[] =>
  app.records.events.filter(({ kind }) => kind === 'tool').map(recordLine);

/** An application whose log, from its boot on, can be read. */
export type StagedApp = GovernedApp & { logged(context: string): readonly LoggedLine[] };

/** Boots the staged tools, with records kept; `bodies` says what they do. */
export async function staged(
  bodies: Partial<Record<keyof Stage['bodies'], Body>> = {},
  { providers = [], options = {} }: Partial<Boot> = {},
): Promise<StagedApp> {
  const audit = options.audit === false ? false : { loggers: [KeptRecords], ...options.audit };
  const app = await boot({ providers: [...STAGED, ...providers], options: { ...options, audit } });
  Object.assign(app.module.get(Stage).bodies, bodies);
  // Only now: Nest's test module brings a logger of its own.
  const log = captureLog();
  const close = app.close.bind(app);
  return Object.assign(app, {
    logged: (wanted: string) => log.lines.filter(({ context }) => context === wanted),
    close: async () => {
      log.release();
      await close();
    },
  });
}

/** Both places where middleware may be declared: what holds for one holds for the other. */
export const PLACES = ['module-wide', 'of one run'] as const;
export type Place = (typeof PLACES)[number];

interface Wrapped {
  readonly bodies?: Partial<Record<keyof Stage['bodies'], Body>>;
  readonly options?: GatehouseModuleOptions;
  readonly position?: 'outermost' | 'innermost';
  readonly lines?: readonly ExecutorLine[];
}

/** Plays a script (default: one `lookup`, then an answer) through the staged tools, with one middleware around them. */
export async function playWrapped(
  place: Place,
  aroundTool: ToolMiddleware['aroundTool'],
  { bodies, options, position, lines = [[call('lookup', { n: 0 }, 'c1')], [says('done')]] }: Wrapped = {},
) {
  const Wrapping = wrapping(aroundTool, position === undefined ? {} : { position });
  const providers = place === 'module-wide' ? [Wrapping] : [];
  const app = await staged(bodies, { providers, ...(options === undefined ? {} : { options }) });
  const told = await app.play(lines, place === 'module-wide' ? {} : { middleware: [new Wrapping()] });
  return { app, ...told, stage: app.module.get(Stage) };
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { JsonSchema } from '../contracts/json.js';
import { ToolGuard } from '../contracts/ports/tool.guard.js';
import type { ToolDefinition, UnjudgedTool } from '../contracts/tool.definition.js';
import type { ToolOptions } from '../contracts/tool.options.js';
import type { ToolSource } from '../contracts/tool.source.js';
import { frozenCopy } from '../values/deep-freeze.js';
import { toMilliseconds } from '../values/durations.js';
import type { RegisteredTool } from './registered.tool.js';
import { argumentSchema } from './schemas/argument.schemas.js';
import { toolsOfSource } from './sources/source.tools.js';
import { ToolExplorer, type FoundTool } from './tool.explorer.js';
import { toolFingerprint } from './tool.fingerprint.js';
import { ToolInvoker } from './tool.invoker.js';
import { lookAlike } from './tool.name.js';
import { toolTable } from './tool.table.js';

const DESTRUCTIVE = 'x-destructive';

/** Every tool of the application, by name. Filled when the module is initialised. */
@Injectable()
export class ToolRegistry implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('gatehouse.tools');
  private readonly tools = new Map<string, RegisteredTool>();
  private readonly bound = new Set<string>();
  private readonly sources = new Set<string>();
  private booted = false;

  constructor(
    private readonly explorer: ToolExplorer,
    private readonly invoker: ToolInvoker,
    private readonly guard: ToolGuard,
  ) {}

  /** Throws `ConfigurationError` for tools that could not be called, guarded or told apart. */
  onModuleInit(): void {
    this.refresh();
  }

  onApplicationBootstrap(): void {
    this.booted = true;
  }

  /** All tools, by name. */
  list(): readonly ToolDefinition[] {
    return [...this.tools.values()]
      .map((tool) => tool.definition)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  get(name: string): ToolDefinition | undefined {
    return this.tools.get(name)?.definition;
  }

  /** The tool as the pipeline calls it. @internal */
  registered(name: string): RegisteredTool | undefined {
    return this.tools.get(name);
  }

  /** Those of the names that no tool has, such as slips in the lists of `guard`. */
  unknown(names: readonly string[]): readonly string[] {
    return names.filter((name) => !this.tools.has(name));
  }

  /** The namespaces of the sources that were registered. */
  namespaces(): readonly string[] {
    return [...this.sources];
  }

  /**
   * Looks again: tools of modules loaded since join the others. All of them, or none where one is refused.
   *
   * @throws ConfigurationError as at boot
   */
  refresh(): void {
    this.add(this.explorer.find());
  }

  /**
   * Adds the tools of a source under its namespace: all of them, or none where one is refused. They are judged here, and their table is logged.
   *
   * @throws ConfigurationError for a namespace that is taken, and for a name that is impossible or looks like another tool's
   */
  register(source: ToolSource): void {
    const { namespace } = source;
    const twin = this.namespaces().find((taken) => lookAlike(taken) === lookAlike(namespace));
    if (twin !== undefined) {
      throw new ConfigurationError(
        `A tool source with the namespace '${twin}' is registered, so '${namespace}' cannot be told apart. Give it another namespace.`,
      );
    }
    this.add(toolsOfSource(source));
    this.sources.add(namespace);
  }

  private add(all: readonly FoundTool[]): void {
    const fresh = all.filter(({ id }) => !this.bound.has(id));
    const made: RegisteredTool[] = [];
    for (const found of fresh) {
      const tool = this.make(found);
      refuseTwin([...this.tools.values(), ...made], tool.definition, found);
      made.push(tool);
    }
    made.forEach((tool) => this.tools.set(tool.definition.name, tool));
    fresh.forEach(({ id }) => this.bound.add(id));
    if (made.length === 0) return;
    const added = new Set(made.map(({ definition }) => definition.name));
    this.logger.log(
      toolTable(
        this.list().filter(({ name }) => added.has(name)),
        this.invoker.globalGuards(),
      ),
    );
    // At boot the lists of names are checked once all tools are there.
    if (this.booted) this.guard.checkNames([...this.tools.keys()], this.namespaces());
  }

  private make(found: FoundTool): RegisteredTool {
    const { source, type, mark, method } = found;
    const { options } = mark;
    const { retries, timeout, audit, parameters, name = mark.name } = options;
    const types = Reflect.getMetadata('design:paramtypes', type.prototype as object, mark.name) as
      unknown[] | undefined;
    const schema = argumentSchema({
      label: source,
      source: parameters,
      types,
      length: Number(Reflect.get(method, 'length')),
    });
    return Object.freeze({
      definition: this.judged(unjudged(found, name, schema.json)),
      retries,
      timeoutMs: timeout === undefined ? undefined : toMilliseconds(timeout, `${source} timeout`),
      audit,
      // The schema has checked the arguments by the time it is asked.
      target: (options as ToolOptions).target?.bind(options),
      open: this.invoker.bind(found, name, schema),
      validate: (value) => schema.validate(value),
    } satisfies RegisteredTool);
  }

  private judged(tool: UnjudgedTool): ToolDefinition {
    const { destructive, gate } = this.guard.judge(tool);
    const { declaredDestructive: _said, parameters, ...rest } = tool;
    const stamped = stamp(parameters, destructive);
    return Object.freeze({
      ...rest,
      parameters: stamped,
      destructive,
      gate: Object.freeze({ ...gate }),
      fingerprint: toolFingerprint({ source: tool.source, parameters: stamped, destructive, approval: tool.approval }),
    });
  }
}

function unjudged({ source, mark, approval }: FoundTool, name: string, parameters: JsonSchema): UnjudgedTool {
  const { description = '', annotations = {}, metadata = {} } = mark.options;
  return {
    name,
    description,
    parameters,
    kind: 'function',
    source,
    annotations,
    metadata,
    ...(approval && { approval }),
    ...(mark.destructive !== undefined && { declaredDestructive: mark.destructive }),
  };
}

/** The schema that is offered says what was judged, nothing else. */
function stamp(parameters: JsonSchema, destructive: boolean): JsonSchema {
  const { [DESTRUCTIVE]: _said, ...rest } = parameters;
  return frozenCopy(destructive ? { ...rest, [DESTRUCTIVE]: true } : rest);
}

function refuseTwin(tools: readonly RegisteredTool[], { name, source }: ToolDefinition, { wrapper }: FoundTool): void {
  const twin = tools.find(({ definition }) => lookAlike(definition.name) === lookAlike(name))?.definition;
  if (twin === undefined) return;
  const names = twin.name === name ? `named '${name}'` : `named '${twin.name}' and '${name}', which look alike`;
  const where = wrapper.host === undefined ? 'a tool source' : `of ${wrapper.host.name}`;
  throw new ConfigurationError(
    `Two tools are ${names}: ${twin.source} and ${source} (${where}). ${adviceFor(twin, source, wrapper.host === undefined)}`,
  );
}

function adviceFor(twin: ToolDefinition, source: string, remote: boolean): string {
  if (remote) return 'Give the source another namespace, or rename the tool where the source lists it.';
  return twin.source === source
    ? 'The class is provided twice: provide it in one module, export it, and import that module.'
    : 'Give one of them another name: @Tool({ name }).';
}

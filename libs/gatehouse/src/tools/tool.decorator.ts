import { ENTRY_PROVIDER_WATERMARK } from '@nestjs/common/constants.js';
import { decoratedMethod, type DecoratedMethod } from './decorated.method.js';
import { OptionChecks } from './option.checks.js';
import { hasStandardSchema } from './schemas/standard.schema.js';
import { isMarkedTool, markTool, type StoredToolOptions } from './tool.metadata.js';
import type { ToolDecorator } from './tool.method.js';
import { isToolName, NAME_RULE } from './tool.name.js';

const OPTIONS = [
  'name',
  'description',
  'parameters',
  'annotations',
  'metadata',
  'destructive',
  'retries',
  'timeout',
  'audit',
  'target',
];

/**
 * Offers a method of a provider to models. The method is `(args, call)`, `(args)` or `()`. Only providers are found: a class nobody
 * lists under `providers` has no tools. Use `DestructiveTool` for what a person should decide.
 *
 * Throws `ConfigurationError` where it stands on something else than an instance method, and for options that mean nothing.
 *
 * @example
 * ```ts
 * @Injectable()
 * class OrderTools {
 *   @Tool('Look up one order')
 *   lookup(args: LookupDto, call: ToolCall) { return this.orders.find(args.id, call.organizationId); }
 *
 *   @Tool({ description: 'Search orders', parameters: z.object({ text: z.string() }) })
 *   search({ text }: { text: string }) { return this.orders.search(text); }
 * }
 * ```
 */
export const Tool: ToolDecorator = (options: unknown) => decorator('@Tool', options);

/**
 * `Tool` for what changes or destroys something: it waits for a person while the guard is on.
 *
 * @example
 * ```ts
 * @DestructiveTool({ description: 'Refund an order', target: (a: RefundDto) => ({ type: 'order', id: a.orderId }) })
 * refund(args: RefundDto, call: ToolCall) { return this.bank.refund(args, call.idempotencyKey); }
 * ```
 */
export const DestructiveTool: ToolDecorator = (options: unknown) => decorator('@DestructiveTool', options);

const decorator =
  (name: '@Tool' | '@DestructiveTool', given: unknown) =>
  (target: object, key: string | symbol, descriptor: PropertyDescriptor): void => {
    const at = decoratedMethod(name, target, key, descriptor);
    const checks = new OptionChecks(name, at.label);
    if (isMarkedTool(at)) throw checks.refuse('one of @Tool and @DestructiveTool already stands there. Keep one.');
    const options = checkedOptions(checks, at, given);
    if (name === '@DestructiveTool' && options.destructive === false) {
      throw checks.refuse('it also says destructive: false. Use @Tool, or leave that out.');
    }
    const destructive = name === '@DestructiveTool' ? true : options.destructive;
    markTool(at, Object.freeze({ options, destructive, method: descriptor.value as object }));
    // Nest runs scoped global guards only for classes with this mark (and controllers).
    Reflect.defineMetadata(ENTRY_PROVIDER_WATERMARK, true, at.type);
  };

function checkedOptions(checks: OptionChecks, at: DecoratedMethod, given: unknown): StoredToolOptions {
  if (typeof given !== 'string' && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    throw checks.refuse('it takes a description, or options.');
  }
  const options = (typeof given === 'string' ? { description: given } : given) as StoredToolOptions;
  checks.onlyKeys(options, OPTIONS);
  if (!isToolName(options.name ?? at.name)) {
    throw checks.refuse(`'${options.name ?? at.name}' is no tool name: ${NAME_RULE}. Pass another one as name.`);
  }
  checks.text(options.description, 'description');
  checks.flag(options.destructive, 'destructive');
  checks.count(options.retries, 'retries', 0);
  checks.duration(options.timeout, 'timeout');
  checks.oneOf(options.audit, 'audit', ['required']);
  checks.callback(options, 'target');
  if (options.parameters !== undefined && !isSource(options.parameters)) {
    throw checks.refuse('parameters must be a DTO class, a Standard Schema or a JSON Schema object.');
  }
  const annotations = checks.json(options.annotations, 'annotations');
  const metadata = checks.json(options.metadata, 'metadata');
  return Object.freeze({ ...options, annotations, metadata });
}

const isSource = (source: unknown): boolean =>
  typeof source === 'function' ||
  hasStandardSchema(source) ||
  (typeof source === 'object' && source !== null && !Array.isArray(source));

import 'reflect-metadata';
import { HOOK_METADATA } from '../contracts/tokens.js';

/** Options of `@Hook`. */
export interface HookOptions {
  /** Lower ones are called first, in all phases; equal ones by class name. Default 0. */
  readonly order?: number;
  /** True: a throw, a time-out or an answer that is no decision ends the run. Default false: logged and read as Continue. */
  readonly failClosed?: boolean;
}

/**
 * Marks a provider as a hook. It is found in any module.
 *
 * @example
 * ```ts
 * @Hook({ failClosed: true })
 * class Quarantine implements ToolHook {
 *   beforeTool(call: HookCall) { return call.toolName === 'export' ? Decide.skip('Exports are paused.') : Decide.continue(); }
 * }
 * ```
 */
export const Hook =
  (options: HookOptions = {}): ClassDecorator =>
  (target) => {
    const complete: Required<HookOptions> = { order: options.order ?? 0, failClosed: options.failClosed === true };
    Reflect.defineMetadata(HOOK_METADATA, Object.freeze(complete), target);
  };

/** The options of a hook class; undefined for any other class. A subclass of a hook is one too. */
export const hookOptions = (target: object): Required<HookOptions> | undefined =>
  Reflect.getMetadata(HOOK_METADATA, target) as Required<HookOptions> | undefined;

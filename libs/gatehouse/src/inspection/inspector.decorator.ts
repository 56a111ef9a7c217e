import 'reflect-metadata';
import { INSPECTOR_METADATA } from '../contracts/tokens.js';

/** Options of `@Inspector`. */
export interface InspectorOptions {
  /** Lower ones are asked first; equal ones by class name. Default 0. */
  readonly order?: number;
}

/**
 * Marks a provider as an inspector. It is found in any module; a throw of it ends the run.
 *
 * @example
 * ```ts
 * @Inspector({ order: 10 })
 * class Spending implements OperationInspector {
 *   inspectOperation(request: OperationRequest) { return Decide.accept(); }
 * }
 * ```
 */
export const Inspector =
  (options: InspectorOptions = {}): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(INSPECTOR_METADATA, options.order ?? 0, target);
  };

/** The order of an inspector class; undefined for any other class. A subclass of an inspector is one too. */
export const inspectorOrder = (target: object): number | undefined => {
  const order: unknown = Reflect.getMetadata(INSPECTOR_METADATA, target);
  return typeof order === 'number' ? order : undefined;
};

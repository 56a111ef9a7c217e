import 'reflect-metadata';
import { LISTENER_METADATA } from '../../contracts/tokens.js';

/**
 * Marks a provider as a listener: it is told each finished operation and run, in any module; a throw of it fails the run.
 *
 * @example
 * ```ts
 * @Listener()
 * class Ledger implements OperationListener {
 *   operationFinished(fact: OperationFinished) { return this.entries.insert(fact.request.operationId, fact.status); }
 * }
 * ```
 */
export const Listener = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(LISTENER_METADATA, true, target);
};

/** Whether a class is a listener. A subclass of a listener is one too. */
export const isListener = (target: object): boolean => Reflect.getMetadata(LISTENER_METADATA, target) === true;

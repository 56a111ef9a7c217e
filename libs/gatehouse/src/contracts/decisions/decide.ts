import type { JsonObject } from '../json.js';
import { branded } from './decision.brand.js';
import { nonEmpty, onlyKeys, optionalText } from './decision.checks.js';
import type { Abortion, Acceptance, Continuation, Redirect, Rejection, Rewrite, Skip } from './decisions.js';

const ACCEPT: Acceptance = branded({ kind: 'accept' as const }, 'inspector', 'commit');
const CONTINUE: Continuation = branded({ kind: 'continue' as const }, 'hook');

const plainObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Decisions of inspectors and hooks: frozen, checked where they are made, never again.
 *
 * @example
 * ```ts
 * inspectOperation(request: OperationRequest) {
 *   return request.toolName === 'refund' ? Decide.reject('Refunds are closed today.', 'Offer a voucher.') : Decide.accept();
 * }
 * ```
 */
export const Decide = Object.freeze({
  /** Inspector: go on. */
  accept: (): Acceptance => ACCEPT,

  /** Inspector: not this call. Reason and guidance are shown to the model. Throws on an empty reason. */
  reject: (reason: string, guidance?: string): Rejection =>
    branded(
      { kind: 'reject' as const, reason: nonEmpty(reason, 'reason'), guidance: optionalText(guidance, 'guidance') },
      'inspector',
    ),

  /** Inspector, commit inspector or hook: end the run. */
  abort: (reason: string): Abortion =>
    branded({ kind: 'abort' as const, reason: nonEmpty(reason, 'reason') }, 'inspector', 'commit', 'hook'),

  /** Commit inspector: another result. Throws without an argument; `undefined` said aloud is a value. */
  rewrite: (...value: [unknown]): Rewrite => {
    if (value.length !== 1)
      throw new TypeError('Decide.rewrite(value) needs the value that takes the place of the result.');
    return branded({ kind: 'rewrite' as const, value: value[0] }, 'commit');
  },

  /** Hook: nothing to say. Throws where something is said: a stub or a reason here would be lost. */
  continue: (...nothing: []): Continuation => {
    if ((nothing as readonly unknown[]).length > 0) throw new TypeError('Decide.continue() takes nothing.');
    return CONTINUE;
  },

  /** Hook: the stub stands in for the result. */
  skip: (reason: string, stubResult: unknown = ''): Skip =>
    branded({ kind: 'skip' as const, reason: nonEmpty(reason, 'reason'), stubResult }, 'hook'),

  /** Hook: another tool, other arguments (they replace all of them; absent = unchanged), or both. */
  redirect: (to: { readonly tool?: string; readonly args?: JsonObject }, reason = ''): Redirect => {
    if (!plainObject(to)) throw new TypeError('Decide.redirect needs { tool, args } with at least one of them.');
    onlyKeys(to, ['tool', 'args'], 'redirect');
    if (to.tool === undefined && to.args === undefined) {
      throw new TypeError('Decide.redirect needs { tool, args } with at least one of them.');
    }
    if (to.args !== undefined && !plainObject(to.args)) throw new TypeError("A redirect's args must be an object.");
    const tool = to.tool === undefined ? undefined : nonEmpty(to.tool, 'tool');
    return branded(
      { kind: 'redirect' as const, tool, args: to.args, reason: optionalText(reason, 'reason') ?? '' },
      'hook',
    );
  },
});

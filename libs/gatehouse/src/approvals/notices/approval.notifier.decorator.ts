import 'reflect-metadata';
import { NOTIFIER_METADATA } from '../../contracts/tokens.js';

/**
 * Marks a provider as a notifier: it is told, in any module, of approvals that wait and that were decided.
 *
 * @example
 * ```ts
 * @ApprovalNotifier()
 * class Mail implements ApprovalListener {
 *   approvalRequested({ id, approval }: ApprovalNotice) { return this.mailer.send({ key: id, subject: approval.summary }); }
 * }
 * ```
 */
export const ApprovalNotifier = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(NOTIFIER_METADATA, true, target);
};

/** Whether a class is a notifier. A subclass of one is one too. */
export const isNotifier = (target: object): boolean => Reflect.getMetadata(NOTIFIER_METADATA, target) === true;

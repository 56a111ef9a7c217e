import { Logger } from '@nestjs/common';
import type { RedactionOptions } from '../../contracts/redaction.options.js';
import type { HookCall, ToolHook } from '../../contracts/roles.js';
import { describeError, errorMessage, errorName } from '../../values/error-text.js';
import { Redactor } from '../../values/redactor.js';
import { resultSize } from '../../values/size-of-result.js';
import { Hook } from '../hook.decorator.js';
import { publish, type EventPublisher } from './event.publisher.js';
import {
  factsOf,
  preview,
  shownArguments,
  type ToolAfterEvent,
  type ToolBeforeEvent,
  type ToolErrorEvent,
} from './tool.event.js';

/** Options of `EventPublishHook`. */
export interface EventPublishOptions {
  /** Characters of a result, or of an error's message, that an event shows. Default 400. */
  readonly previewLength?: number;
  /** As the module's `redaction`; secret names are always hidden. */
  readonly redaction?: RedactionOptions;
}

/**
 * Publishes `tool.before`, `tool.after` and `tool.error` (see `ToolBeforeEvent` and its siblings). Only observes: it decides nothing, and a
 * listener that throws changes nothing. First in order, so that it tells also of a call that another hook aborts.
 *
 * @example
 * ```ts
 * { provide: EventPublishHook, inject: [EventEmitter2], useFactory: (events: EventEmitter2) => new EventPublishHook(events) }
 * ```
 */
@Hook({ order: -1000 })
export class EventPublishHook implements ToolHook {
  private readonly logger = new Logger('gatehouse.hooks');
  private readonly redactor: Redactor;
  private readonly longest: number;

  constructor(
    private readonly publisher: EventPublisher,
    { previewLength = 400, redaction }: EventPublishOptions = {},
  ) {
    this.redactor = new Redactor(redaction);
    this.longest = previewLength;
  }

  beforeTool(call: HookCall): void {
    const event: ToolBeforeEvent = { ...factsOf(call), args: shownArguments(call.args, this.redactor) };
    this.publish('tool.before', event);
  }

  afterTool(call: HookCall & { readonly result: unknown; readonly durationMs: number }): void {
    const event: ToolAfterEvent = {
      ...factsOf(call),
      durationMs: Math.round(call.durationMs * 100) / 100,
      resultPreview: preview(this.text(call.result), this.longest),
      resultLength: resultSize(call.result),
    };
    this.publish('tool.after', event);
  }

  onError(call: HookCall & { readonly error: unknown }): void {
    const event: ToolErrorEvent = {
      ...factsOf(call),
      errorType: errorName(call.error),
      errorMessage: preview(this.redactor.redactText(errorMessage(call.error)), this.longest),
    };
    this.publish('tool.error', event);
  }

  /** Redacted before it is cut, so that no half of a secret is shown. */
  private text(result: unknown): string {
    if (result === undefined) return '';
    return typeof result === 'string' ? this.redactor.redactText(result) : JSON.stringify(this.redactor.redact(result));
  }

  private publish(name: string, event: ToolBeforeEvent | ToolAfterEvent | ToolErrorEvent): void {
    publish(this.publisher, name, Object.freeze(event), (error) => {
      this.logger.warn(`A listener of ${name} failed: ${describeError(error)}.`);
    });
  }
}

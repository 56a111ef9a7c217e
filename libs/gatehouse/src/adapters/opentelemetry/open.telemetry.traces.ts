import { Logger } from '@nestjs/common';
import { isSpanContextValid, SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';
import { TraceContext, type TracedCall, type TracedEnd, type TracedRun } from '../../contracts/ports/trace.context.js';
import type { TraceIds } from '../../contracts/ports/trace.context.js';
import type { RunOutcome } from '../../contracts/run.js';
import { describeError } from '../../values/error-text.js';
import { VERSION } from '../../values/version.js';
import { callAttributes, callEndAttributes, callSpanName, decisionAttributes } from './call.attributes.js';
import { errorType } from './error.type.js';
import { runAttributes, runEndAttributes, runSpanName } from './run.attributes.js';
import { ERROR_TYPE, RECORD_ID } from './names.js';
import { spanAround, workInside } from './span.around.js';

/** Makes the spans with whatever OpenTelemetry SDK the application has registered. What breaks there is logged once, and costs spans only. */
export class OpenTelemetryTraces extends TraceContext {
  override readonly spans = true;
  private readonly logger = new Logger('gatehouse.tracing');
  private warned = false;

  /** @param content spans carry arguments and results */
  constructor(private readonly content: boolean) {
    super();
  }

  override current(): TraceIds | undefined {
    return this.attempt(() => idsOf(spanAround()));
  }

  override run(run: TracedRun, work: () => Promise<RunOutcome>): Promise<RunOutcome> {
    const span = this.start(
      () => runSpanName(run.agent),
      () => runAttributes(run),
    );
    return this.around(span, work, (outcome) => this.finish(span, () => runEndAttributes(outcome, run.usage())));
  }

  override call<T>(call: TracedCall, work: () => Promise<T>, ended: (came: T) => TracedEnd): Promise<T> {
    const span = this.startCall(call);
    return this.around(span, work, (came) => this.endCall(span, ended(came)));
  }

  override settled(call: TracedCall, end: TracedEnd): TraceIds | undefined {
    const span = this.startCall(call);
    const ids = this.attempt(() => idsOf(span));
    this.attempt(() => this.endCall(span, end, true));
    return ids;
  }

  override recorded(recordId: string): void {
    this.attempt(() => {
      const span = spanAround();
      // A method may settle long after its call was given up.
      if (span?.isRecording() === true) span.setAttribute(RECORD_ID, recordId);
    });
  }

  private startCall(call: TracedCall): Span | undefined {
    return this.start(
      () => callSpanName(call.toolName),
      () => callAttributes(call, this.content),
    );
  }

  private start(name: () => string, attributes: () => Attributes): Span | undefined {
    return this.attempt(() =>
      trace
        .getTracer('nest-gatehouse', VERSION)
        .startSpan(name(), { kind: SpanKind.INTERNAL, attributes: attributes() }),
    );
  }

  private async around<T>(span: Span | undefined, work: () => Promise<T>, ended: (came: T) => void): Promise<T> {
    if (span === undefined) return work();
    try {
      const came = await workInside(span, work, (trouble) => this.note(trouble));
      this.attempt(() => ended(came));
      return came;
    } catch (error) {
      this.finish(span, () => ({ [ERROR_TYPE]: errorType(error) }));
      throw error;
    }
  }

  private endCall(span: Span | undefined, end: TracedEnd, decided = end.decidedBy !== undefined): void {
    if (decided) this.attempt(() => span?.addEvent('gatehouse.decision', decisionAttributes(end)));
    this.finish(span, () => callEndAttributes(end, this.content));
  }

  /** It ends, whatever could not be said of it. */
  private finish(span: Span | undefined, attributes: () => Attributes): void {
    this.attempt(() => {
      const last = attributes();
      span?.setAttributes(last);
      if (ERROR_TYPE in last) span?.setStatus({ code: SpanStatusCode.ERROR });
    });
    this.attempt(() => span?.end());
  }

  private attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (trouble) {
      this.note(trouble);
      return undefined;
    }
  }

  private note(trouble: unknown): void {
    if (this.warned) return;
    this.warned = true;
    this.logger.warn(
      `Tracing failed, and may go on failing without a word: ${describeError(trouble)}. Runs and records are not affected.`,
    );
  }
}

const idsOf = (span: Span | undefined): TraceIds | undefined => {
  const at = span?.spanContext();
  return at !== undefined && isSpanContextValid(at) ? { traceId: at.traceId, spanId: at.spanId } : undefined;
};

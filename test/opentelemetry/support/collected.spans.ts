import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';

interface Registered {
  readonly sampler?: Sampler;
  readonly exporter?: SpanExporter;
}

/** The real SDK with what it exports kept in memory. */
export class CollectedSpans {
  private readonly memory = new InMemorySpanExporter();
  private readonly begun: string[] = [];
  // Start times have milliseconds: two of them may be the same.
  private readonly order: SpanProcessor = {
    onStart: (span) => void this.begun.push(span.spanContext().spanId),
    onEnd: () => undefined,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };

  /** Registers it for the process. */
  register({ sampler = new AlwaysOnSampler(), exporter = this.memory }: Registered = {}): void {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const spanProcessors = [this.order, new SimpleSpanProcessor(exporter)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler, spanProcessors }));
  }

  unregister(): void {
    trace.disable();
    context.disable();
    this.memory.reset();
  }

  /** In the order in which they began. */
  get all(): readonly ReadableSpan[] {
    const place = (span: ReadableSpan) => this.begun.indexOf(span.spanContext().spanId);
    return this.memory.getFinishedSpans().toSorted((one, other) => place(one) - place(other));
  }

  named(name: string): ReadableSpan {
    const found = this.all.filter((span) => span.name === name);
    expect([name, found.length]).toEqual([name, 1]);
    return found[0]!;
  }

  /** `name < parent [error]` of each, by when they began; `-` for one without a parent here. */
  lines(): string[] {
    return this.all.map((span) => {
      const parent = this.all.find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId);
      const error = span.status.code === SpanStatusCode.ERROR ? ` ! ${String(span.attributes['error.type'])}` : '';
      return `${span.name} < ${parent?.name ?? '-'}${error}`;
    });
  }
}

/** Where a span is, as records say it. */
export const placeOf = (span: ReadableSpan) => ({
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
});

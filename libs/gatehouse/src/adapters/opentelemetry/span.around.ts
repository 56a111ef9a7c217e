import { context, createContextKey, trace, type Span } from '@opentelemetry/api';

const OURS = createContextKey('gatehouse: the span of the run or the call');

/** The innermost span of a run or a call around the code that asks, whatever spans others have opened inside it; else the active one. */
export const spanAround = (): Span | undefined =>
  (context.active().getValue(OURS) as Span | undefined) ?? trace.getActiveSpan();

/** Does the work, once, with this span as the active one; without that where OpenTelemetry breaks. */
export function workInside<T>(span: Span, work: () => Promise<T>, broken: (trouble: unknown) => void): Promise<T> {
  let begun: Promise<T> | undefined;
  const begin = (): Promise<T> => (begun ??= work());
  try {
    void context.with(trace.setSpan(context.active(), span).setValue(OURS, span), begin);
  } catch (trouble) {
    broken(trouble);
  }
  return begin();
}

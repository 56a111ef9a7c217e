import { EventEmitter } from 'node:events';

/** Where events go: Nest's `EventEmitter2`, Node's `EventEmitter`, or anything with this method. */
export interface EventPublisher {
  emit(event: string, data: unknown): unknown;
}

/**
 * Emits to every listener, whichever of them throws or rejects; `failed` is told each. An emitter that is not Node's own keeps its listeners apart
 * itself, as Nest's does.
 */
export function publish(
  publisher: EventPublisher,
  event: string,
  data: unknown,
  failed: (error: unknown) => void,
): void {
  for (const deliver of deliveries(publisher, event, data)) {
    try {
      Promise.resolve(deliver()).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

// Node's own emit stops at the first listener that throws.
function deliveries(publisher: EventPublisher, event: string, data: unknown): readonly (() => unknown)[] {
  if (!(publisher instanceof EventEmitter) || publisher.emit !== EventEmitter.prototype.emit) {
    return [() => publisher.emit(event, data)];
  }
  return publisher.rawListeners(event).map((listener) => () => Reflect.apply(listener, publisher, [data]) as unknown);
}

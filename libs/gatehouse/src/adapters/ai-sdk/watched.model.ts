import { gateway, type LanguageModel } from 'ai';
import type { ResponseWatch, StreamPart } from './response.watch.js';

type ModelObject = Exclude<LanguageModel, string>;

interface Streamed {
  readonly stream: ReadableStream<StreamPart>;
}

/** The model, with a watch on what it streams. A name is looked up where the SDK looks it up. */
export const watchedModel = (model: LanguageModel, watch: ResponseWatch): ModelObject => {
  const watched =
    typeof model === 'string' ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model) : model;
  const ask = member(watched, 'doStream') as (...options: unknown[]) => Promise<Streamed>;
  const doStream = async (...options: unknown[]): Promise<Streamed> => {
    const streamed = await ask(...options);
    return { ...streamed, stream: streamed.stream.pipeThrough(seenBy(watch)) };
  };
  // Around an empty object, not the model: a Proxy may not change what a frozen one shows.
  return new Proxy({} as ModelObject, {
    get: (_, key) => (key === 'doStream' ? doStream : member(watched, key)),
    has: (_, key) => Reflect.has(watched, key),
  });
};

const seenBy = (watch: ResponseWatch): TransformStream<StreamPart, StreamPart> =>
  new TransformStream({
    transform(part, controller) {
      watch.see(part);
      controller.enqueue(part);
    },
  });

/** Methods and getters run on the model itself: a class with private fields does not work through a Proxy. */
const member = (target: ModelObject, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(target, key, target);
  return typeof value === 'function' ? value.bind(target) : value;
};

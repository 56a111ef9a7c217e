import { EventEmitter, on } from 'node:events';
import { Worker } from 'node:worker_threads';
import ts from 'typescript';

import { examplesOf } from '../../support/typed.examples.js';

/** What the sample did: it told of an event, paused before it tries again, or gave up. Last of all, that nothing keeps it alive any more. */
export type Step = string;

// Node has the browsers' EventSource behind a flag. Pauses are told, and not waited for.
const around = (sample: string): string => `{
const { parentPort, workerData } = require('node:worker_threads');
const say = (step) => parentPort.postMessage(step);
const EventSource = class extends globalThis.EventSource { constructor(url, options) { super(workerData.url + url, options); } };
const setTimeout = (work, pause) => { say('pauses ' + pause); return setImmediate(work); };
const clearTimeout = clearImmediate;
${sample}
watch(workerData.runId, ({ type }) => say(type), () => say('lost'));
}`;

/** Runs `watch` of docs/streaming.md, as it is printed there, in a thread of its own, until it has nothing left to do. */
export async function* documentedWatch(url: string, runId: string): AsyncGenerator<Step, void, void> {
  const [sample = ''] = /^export function watch[^]*?^}$/m.exec(await examplesOf('docs/streaming.md')) ?? [];
  const { outputText } = ts.transpileModule(sample.replace('export ', ''), {
    compilerOptions: { target: ts.ScriptTarget.ES2022 },
  });
  const steps = new EventEmitter();
  const worker = new Worker(around(outputText), {
    eval: true,
    execArgv: ['--experimental-eventsource', '--no-warnings'],
    workerData: { url, runId },
  });
  const heard = on(steps, 'step', { close: ['end'] });
  worker.on('message', (step: Step) => steps.emit('step', step));
  worker.once('error', (error) => steps.emit('error', error));
  worker.once('exit', () => steps.emit('end'));
  try {
    for await (const [step] of heard as AsyncIterable<[Step]>) yield step;
  } finally {
    await worker.terminate();
  }
}

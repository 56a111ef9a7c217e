export { BullMqDispatcher } from './bullmq.dispatcher.js';
export { RUN_QUEUE, type RunJob } from './run.job.js';
export { RunProcessor } from './run.processor.js';
export { RunQueueModule, type RunQueueOptions } from './run.queue.module.js';

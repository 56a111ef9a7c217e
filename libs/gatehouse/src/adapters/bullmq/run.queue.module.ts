import { BullModule, getQueueToken, Processor } from '@nestjs/bullmq';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { RunDispatcher } from '../../contracts/ports/run.dispatcher.js';
import { BullMqDispatcher } from './bullmq.dispatcher.js';
import { RUN_QUEUE, type RunJob } from './run.job.js';
import { RunProcessor } from './run.processor.js';

/** Options of `RunQueueModule.register`. */
export interface RunQueueOptions {
  /** The same in every process. Default `'gatehouse-runs'`. */
  readonly queue?: string;
  /** Of `BullModule.forRoot(configKey, …)`, where the application has several. */
  readonly configKey?: string;
  /** Makes this process a worker that executes so many runs at once. Absent: it only hands them over. */
  readonly work?: { readonly concurrency: number };
}

/**
 * Hands runs to workers through BullMQ, and makes a worker of the process that says `work`. Import it beside `BullModule.forRoot` and `GatehouseModule`.
 *
 * @example
 * ```ts
 * // A server, with runs: { execute: 'dispatched' } in its GatehouseModule:
 * imports: [BullModule.forRoot({ connection }), RunQueueModule.register()]
 * // A worker:
 * imports: [BullModule.forRoot({ connection }), RunQueueModule.register({ work: { concurrency: 20 } })]
 * ```
 */
@Module({})
export class RunQueueModule {
  /** Throws `ConfigurationError` for a concurrency that is no count. */
  static register({ queue: name = RUN_QUEUE, configKey, work }: RunQueueOptions = {}): DynamicModule {
    return {
      module: RunQueueModule,
      imports: [BullModule.registerQueue({ name, ...(configKey === undefined ? {} : { configKey }) })],
      providers: [
        {
          provide: RunDispatcher,
          inject: [getQueueToken(name), ModuleRef],
          useFactory: (queue: Queue<RunJob>, modules: ModuleRef) => new BullMqDispatcher(queue, modules),
        },
        ...(work === undefined
          ? []
          : [{ provide: RunProcessor, useClass: processorOf(name, configKey, work.concurrency) }]),
      ],
    };
  }
}

const processorOf = (name: string, configKey: string | undefined, concurrency: number): Type<RunProcessor> => {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new ConfigurationError(`work.concurrency is ${String(concurrency)}: write how many runs at once, 1 or more.`);
  }
  class GatehouseRunProcessor extends RunProcessor {}
  // A lost worker's job is never run again: what becomes of its run is the lease's business.
  const options = { concurrency, autorun: false, maxStalledCount: 0 };
  Processor({ name, ...(configKey === undefined ? {} : { configKey }) }, options)(GatehouseRunProcessor);
  return GatehouseRunProcessor;
};

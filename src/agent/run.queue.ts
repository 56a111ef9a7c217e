import { BullModule } from '@nestjs/bullmq';
import type { DynamicModule } from '@nestjs/common';
import { createPostgresBackend, setDefaultBackendFactory } from 'bullmq';
import { RunQueueModule, type RunQueueOptions } from 'nest-gatehouse/bullmq';

/** The queue in which servers hand runs to workers: in the same Postgres, in BullMQ's own schema. */
export function runQueue(databaseUrl: string, options: RunQueueOptions): DynamicModule[] {
  // BullMQ keeps its jobs in Redis unless it is told otherwise, and it can only be told for the whole process.
  setDefaultBackendFactory(createPostgresBackend);
  return [
    BullModule.forRoot({ connection: { connectionString: databaseUrl, migrate: true } }),
    RunQueueModule.register(options),
  ];
}

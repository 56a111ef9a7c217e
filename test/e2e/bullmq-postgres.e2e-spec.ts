import { createPostgresBackend, setDefaultBackendFactory } from 'bullmq';

import { describeWorkers, type QueueOf } from './support/workers.js';

// As an application does in its main file: BullMQ's queues live in Postgres from here on.
setDefaultBackendFactory(createPostgresBackend);

const onTheSameDatabase: QueueOf = ({ url }) => ({ connection: { connectionString: url, migrate: true } });

describeWorkers('in the same Postgres', onTheSameDatabase);

import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { RunQueueModule } from './run.queue.module.js';

it.each([[0], [1.5], [-1], [Number.NaN]])('a worker cannot execute %d runs at once', (concurrency) => {
  expect(() => RunQueueModule.register({ work: { concurrency } })).toThrow(ConfigurationError);
});

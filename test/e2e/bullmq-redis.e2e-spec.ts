import { redisProgram, startRedis, type RedisServer } from '../support/redis.js';
import { describeWorkers } from './support/workers.js';

const program = redisProgram();

if (program === undefined) {
  it.skip('a server and a worker, their queue in Redis: not run, for there is no redis-server on the PATH', () =>
    undefined);
} else {
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = await startRedis(program);
  });
  afterAll(() => redis?.stop());
  // Each test has a database of its own, and so its own keys.
  describeWorkers('in Redis', ({ url }) => ({
    connection: { host: '127.0.0.1', port: redis?.port ?? 0 },
    prefix: new URL(url).pathname.slice(1),
  }));
}

import { type INestApplicationContext, Logger } from '@nestjs/common';
import type { DevelopmentDatabase } from '../development-database/development-database.js';

const logger = new Logger('desk');
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ctrl-C: the application ends its runs, writes their records and tells their clients; then the database stops; then the process ends.
 * `enableShutdownHooks()` alone would end the process under the database.
 */
export function closeOnSignals(app: INestApplicationContext, database: DevelopmentDatabase): void {
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      // Joins the shutdown that Nest has begun.
      await app.close();
    } catch (error) {
      logger.error('The application did not close cleanly.', error instanceof Error ? error.stack : String(error));
      process.exitCode = 1;
    }
    await database.stop();
    process.exit();
  };
  app.enableShutdownHooks([...SIGNALS]);
  // Kept after the first signal: Nest raises it again when it has closed, and an impatient person does so too.
  for (const signal of SIGNALS) process.on(signal, () => void (closing ??= close()));
}

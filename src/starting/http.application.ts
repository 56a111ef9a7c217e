import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ProblemFilter } from 'nest-gatehouse';
import { AppModule, type AppOptions } from '../app.module.js';

/** The application over HTTP, not yet listening. */
export async function createHttpApplication(
  options: AppOptions,
  { logger }: Pick<NestApplicationOptions, 'logger'> = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(options), {
    // Streams stay open for an hour: whoever stops the application does not wait for their clients.
    forceCloseConnections: true,
    abortOnError: false,
    ...(logger === undefined ? {} : { logger }),
  });
  // Clients send their whole history, although only the new message is used.
  app.useBodyParser('json', { limit: '4mb' });
  // What fails before any controller, such as a body that is too large, reads like what fails in one.
  app.useGlobalFilters(new ProblemFilter());
  return app;
}

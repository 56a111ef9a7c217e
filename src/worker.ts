import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { runSettings } from './agent/run.settings.js';
import { type DevelopmentDatabase, openDevelopmentDatabase } from './development-database/development-database.js';
import { closeOnSignals } from './starting/close.on.signals.js';
import { developmentSeal } from './starting/development.seal.js';
import { endWith } from './starting/end.with.js';

async function work(database: DevelopmentDatabase): Promise<void> {
  const runs = runSettings();
  const app = await NestFactory.createApplicationContext(
    AppModule.forRoot({ databaseUrl: database.url, runs, role: 'worker', seal: await developmentSeal(database) }),
    { abortOnError: false },
  );
  closeOnSignals(app, database);
  console.log(`A worker of Gatehouse's support desk is ready for ${runs.concurrency} runs at once. Ctrl-C stops it.`);
}

async function main(): Promise<void> {
  const database = await openDevelopmentDatabase({ persistent: true, log: console.log });
  try {
    await work(database);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

main().catch(endWith);

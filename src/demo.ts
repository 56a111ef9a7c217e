import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { scriptedDeskModel } from './agent/scripted/scripted.desk.model.js';
import { DeskClient } from './demo/desk.client.js';
import { DemoFailure } from './demo/demo.failure.js';
import { disconnectStory } from './demo/disconnect.story.js';
import { refundStory } from './demo/refund.story.js';
import type { Story } from './demo/story.js';
import { DatabaseSetupError } from './development-database/database-setup.error.js';
import { openDevelopmentDatabase } from './development-database/development-database.js';
import { createHttpApplication } from './starting/http.application.js';

const SLOW_ENOUGH_TO_LEAVE_MS = 10_000;
const LONGEST_DEMO_MS = 120_000;

async function play(databaseUrl: string): Promise<void> {
  const model = scriptedDeskModel();
  const options = { databaseUrl, model, carrierDelayMs: SLOW_ENOUGH_TO_LEAVE_MS };
  const app = await createHttpApplication(options, { logger: ['error', 'fatal'] });
  try {
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const story: Story = { desk: new DeskClient(`http://127.0.0.1:${port}`), tell: console.log };
    console.log(`The support desk listens on port ${port}. The model is ${model.description}.`);
    await refundStory(story);
    await disconnectStory(story);
  } finally {
    await app.close();
  }
}

async function main(): Promise<void> {
  const database = await openDevelopmentDatabase({ persistent: false, log: console.log });
  try {
    await play(database.url);
  } finally {
    await database.stop();
  }
  console.log('\nEverything went as told.');
}

async function tooLong(): Promise<never> {
  await pause(LONGEST_DEMO_MS, undefined, { ref: false });
  throw new DemoFailure(`The demo did not end within ${LONGEST_DEMO_MS / 1000} s.`);
}

Promise.race([main(), tooLong()]).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof DemoFailure || error instanceof DatabaseSetupError ? error.message : error);
    process.exit(1);
  },
);

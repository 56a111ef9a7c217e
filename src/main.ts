import { runSettings } from './agent/run.settings.js';
import { type DevelopmentDatabase, openDevelopmentDatabase } from './development-database/development-database.js';
import { closeOnSignals } from './starting/close.on.signals.js';
import { developmentSeal } from './starting/development.seal.js';
import { endWith } from './starting/end.with.js';
import { createHttpApplication } from './starting/http.application.js';
import { listen, listeningPort } from './starting/listening.js';
import { welcome } from './starting/welcome.js';
import { withoutPassword } from './starting/without.password.js';

// The demo principals' tokens are no secret, so only this machine may use them unless told otherwise.
const { HOST = '127.0.0.1' } = process.env;

async function serve(database: DevelopmentDatabase, port: number): Promise<void> {
  const app = await createHttpApplication({
    databaseUrl: database.url,
    runs: runSettings(),
    seal: await developmentSeal(database),
  });
  closeOnSignals(app, database);
  try {
    await listen(app, port, HOST);
  } catch (error) {
    await app.close();
    throw error;
  }
  // The password of a server that we started ourselves is good for nothing else; somebody's own is theirs.
  const shown = database.source === 'DATABASE_URL' ? withoutPassword(database.url) : database.url;
  console.log(welcome(await app.getUrl(), shown));
}

async function main(): Promise<void> {
  const port = listeningPort(process.env);
  const database = await openDevelopmentDatabase({ persistent: true, log: console.log });
  try {
    await serve(database, port);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

main().catch(endWith);

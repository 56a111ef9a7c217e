import type { INestApplication } from '@nestjs/common';
import { PortInUseError, PortSettingError } from './port.errors.js';

const DEFAULT_PORT = 3000;
const HIGHEST_PORT = 65535;

/** `PORT`, or 3000. Throws `PortSettingError`. */
export function listeningPort({ PORT: setting }: NodeJS.ProcessEnv): number {
  if (!setting) return DEFAULT_PORT;
  const port = Number(setting);
  if (!/^\d+$/.test(setting) || port > HIGHEST_PORT) throw new PortSettingError(setting);
  return port;
}

/** Starts to listen. Throws `PortInUseError`. */
export async function listen(app: INestApplication, port: number, host: string): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new PortInUseError(port);
    throw error;
  }
}

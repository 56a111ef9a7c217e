import { StartError } from './start.error.js';

/** Somebody listens there already. */
export class PortInUseError extends StartError {
  constructor(readonly port: number) {
    super(
      `Port ${port} is in use, perhaps by another start of this application. Stop that one, or choose another port: PORT=${port + 1} npm start`,
    );
  }
}

/** `PORT` is not a port. */
export class PortSettingError extends StartError {
  constructor(readonly setting: string) {
    super(
      `PORT is '${setting}', which is no port: set a number from 0 (any free one) to 65535, or leave it out for 3000.`,
    );
  }
}

import { userInfo } from 'node:os';

/** Who is recorded where nobody says who it is: the user of this machine. */
export function userOfMachine(): string {
  try {
    return `os:${userInfo().username}`;
  } catch {
    return 'os:unknown';
  }
}

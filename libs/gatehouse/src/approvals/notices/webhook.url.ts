import { ConfigurationError } from '../../contracts/errors/configuration.error.js';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Where a webhook goes: https, or http to this machine or a listed host. No name or password in it.
 *
 * @throws ConfigurationError
 */
export function webhookUrl(given: string, plainHttp: readonly string[] = []): URL {
  const url = parsed(given);
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('The URL of a webhook must not carry a name or a password: its requests are signed.');
  }
  if (url.protocol === 'https:') return url;
  const mayBePlain = LOOPBACK.has(url.hostname) || plainHttp.includes(url.hostname);
  if (url.protocol === 'http:' && mayBePlain) return url;
  throw new ConfigurationError(
    `The webhook to '${url.host}' must use https: what waits for people is nobody else's business. List the host in 'plainHttp' if the way there is your own.`,
  );
}

function parsed(given: string): URL {
  try {
    return new URL(given);
  } catch {
    throw new ConfigurationError('The URL of a webhook must be an absolute one. Is the environment variable set?');
  }
}

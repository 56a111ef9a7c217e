import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { Anchor } from '../../contracts/ports/anchor.js';

/** How a checkpoint is posted. */
export interface HttpsAnchorOptions {
  /** Sent with each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Hosts that may be reached at a private address, and over plain http. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** Milliseconds for one post. Default 5000. */
  readonly timeout?: number;
}

/**
 * Posts each checkpoint (`text/plain`, the signed note) to a URL of somebody who keeps them. Any 2xx counts; the first 1000 characters of the answer
 * are stored as the receipt. Redirects are refused, and so are private addresses: who can change the URL must not make the server reach into its
 * own network.
 */
export class HttpsAnchor extends Anchor {
  override readonly name: string;
  private readonly url: URL;
  private readonly allowed: ReadonlySet<string>;

  /** @throws ConfigurationError */
  constructor(
    url: string,
    private readonly options: HttpsAnchorOptions = {},
  ) {
    super();
    this.allowed = new Set(options.allowPrivate);
    this.url = checkedUrl(url, this.allowed);
    this.name = `${this.url.origin}${this.url.pathname}`;
  }

  override async publish(note: string, treeSize: number): Promise<string> {
    await this.refusePrivate();
    const answer = await fetch(this.url, {
      method: 'POST',
      redirect: 'error',
      headers: { ...this.options.headers, 'content-type': 'text/plain; charset=utf-8', 'tree-size': String(treeSize) },
      body: note,
      signal: AbortSignal.timeout(this.options.timeout ?? 5000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return text.slice(0, 1000);
  }

  private async refusePrivate(): Promise<void> {
    const host = this.url.hostname.replace(/^\[|\]$/g, '');
    if (this.allowed.has(this.url.hostname)) return;
    const addresses = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host, family: isIP(host) }];
    for (const { address, family } of addresses) {
      if (PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4')) {
        throw new Error(`'${this.url.hostname}' has the private address ${address}; list it in allowPrivate`);
      }
    }
  }
}

function checkedUrl(given: string, allowed: ReadonlySet<string>): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined)
    throw new ConfigurationError('The URL of an anchor must be an absolute one. Is the environment variable set?');
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('The URL of an anchor must not carry a name or a password: use headers.');
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowed.has(url.hostname))) return url;
  throw new ConfigurationError(`The anchor at '${url.host}' must use https, or be listed in allowPrivate.`);
}

const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(net, prefix, 'ipv4');
  // The same, as IPv6 spells it.
  PRIVATE.addSubnet(`::ffff:${net}`, 96 + prefix, 'ipv6');
}
for (const [net, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(net, prefix, 'ipv6');
}

import type { ApprovalListener, ApprovalNotice } from '../../contracts/approval.listener.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { Duration } from '../../contracts/duration.js';
import { toMilliseconds } from '../../values/durations.js';
import { ApprovalNotifier } from './approval.notifier.decorator.js';
import { webhookSignature } from './webhook.signature.js';
import { webhookUrl } from './webhook.url.js';

const SHORTEST_SECRET = 16;

/** Where approvals are announced, and how. */
export interface WebhookOptions {
  /** https; http only to this machine and to hosts of `plainHttp`. */
  readonly url: string;
  /** At least 16 characters. Of several, each signs: give the receiver a new one first, then take the old one away. */
  readonly secret: string | readonly string[];
  /** What its deliveries are kept under. Default `WebhookNotifier`, or the name of the subclass. */
  readonly name?: string;
  /** For one attempt. Default 10 s, 25 s at the most. */
  readonly timeout?: Duration;
  /** Hosts that may be told without TLS. */
  readonly plainHttp?: readonly string[];
}

/**
 * Posts each notice as JSON, signed: `Gatehouse-Signature: t=…,v1=…` (see `isWebhookSignature`) and `Gatehouse-Event`, the notice's id, by which its
 * receiver knows a repetition. Delivered by any answer of 2xx; everything else, a redirect too, is tried again later.
 *
 * @example
 * ```ts
 * { provide: 'approval-webhook', useFactory: () => new WebhookNotifier({ url: 'https://chat.example/hook', secret: process.env.HOOK_SECRET ?? '' }) }
 * ```
 */
@ApprovalNotifier()
export class WebhookNotifier implements ApprovalListener {
  readonly name?: string;
  private readonly url: URL;
  private readonly secrets: readonly string[];
  private readonly timeout: number;

  constructor({ url, secret, name, timeout = '10s', plainHttp }: WebhookOptions) {
    this.url = webhookUrl(url, plainHttp);
    this.secrets = checkedSecrets(secret);
    this.timeout = Math.min(toMilliseconds(timeout, 'WebhookNotifier timeout'), 25_000);
    if (name !== undefined) this.name = name;
  }

  approvalRequested(notice: ApprovalNotice): Promise<void> {
    return this.post(notice);
  }

  approvalDecided(notice: ApprovalNotice): Promise<void> {
    return this.post(notice);
  }

  private async post(notice: ApprovalNotice): Promise<void> {
    const body = JSON.stringify(notice);
    const response = await this.send(body, notice.id);
    // Nobody reads what it says: the connection is free again.
    await response.body?.cancel().catch(() => undefined);
    if (response.status < 200 || response.status > 299) throw new Error(`the webhook answered ${response.status}`);
  }

  private async send(body: string, eventId: string): Promise<Response> {
    try {
      return await fetch(this.url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'gatehouse-event': eventId,
          'gatehouse-signature': webhookSignature(body, this.secrets, new Date()),
        },
        // Whoever may redirect us could send it anywhere.
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeout),
      });
    } catch (error) {
      const late = error instanceof Error && error.name === 'TimeoutError';
      throw new Error(
        late ? `the webhook did not answer within ${this.timeout} ms` : 'the webhook could not be reached',
        {
          cause: error,
        },
      );
    }
  }
}

function checkedSecrets(given: string | readonly string[]): readonly string[] {
  const secrets = typeof given === 'string' ? [given] : [...given];
  if (secrets.length > 0 && secrets.every((secret) => secret.length >= SHORTEST_SECRET)) return secrets;
  throw new ConfigurationError(
    `The secret of a webhook must have at least ${SHORTEST_SECRET} characters. Is the environment variable set?`,
  );
}

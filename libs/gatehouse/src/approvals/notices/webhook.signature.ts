import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE = 300;

/** The `Gatehouse-Signature` of a body: `t=<seconds>,v1=<hex>`, one `v1` for each secret, so that a receiver may change its own in peace. */
export function webhookSignature(body: string, secrets: readonly string[], at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signatures = secrets.map((secret) => `v1=${hmac(secret, seconds, body).toString('hex')}`);
  return [`t=${seconds}`, ...signatures].join(',');
}

/**
 * Whether a webhook's body is ours, and fresh: for its receiver.
 *
 * @param body the bytes as they came, as text; not parsed and written again
 * @param header its `Gatehouse-Signature`
 * @param tolerance seconds that clocks may differ, and the way may take; 300
 */
export function isWebhookSignature(
  body: string,
  header: string,
  secret: string,
  { tolerance = TOLERANCE, now = new Date() }: { readonly tolerance?: number; readonly now?: Date } = {},
): boolean {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const seconds = Number(parts.find(([key]) => key === 't')?.[1]);
  if (!Number.isInteger(seconds) || Math.abs(now.getTime() / 1000 - seconds) > tolerance) return false;
  const own = hmac(secret, seconds, body);
  return parts.some(([key, value = '']) => {
    const given = Buffer.from(value, 'hex');
    return key === 'v1' && given.length === own.length && timingSafeEqual(given, own);
  });
}

const hmac = (secret: string, seconds: number, body: string): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.${body}`, 'utf8').digest();

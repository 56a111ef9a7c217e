import { createHmac } from 'node:crypto';
import { isWebhookSignature, webhookSignature } from './webhook.signature.js';

const AT = new Date('2026-01-01T00:00:00.900Z');
const SECONDS = 1_767_225_600;
const BODY = '{"id":"e1"}';

describe('the signature of a webhook', () => {
  const header = webhookSignature(BODY, ['new', 'old'], AT);

  it('is an HMAC of the time and the body, one for each secret', () => {
    const hex = (secret: string) => createHmac('sha256', secret).update(`${SECONDS}.${BODY}`).digest('hex');
    expect(header).toBe(`t=${SECONDS},v1=${hex('new')},v1=${hex('old')}`);
  });

  it('is known by either secret, and by no other', () => {
    expect(['new', 'old', 'other'].map((secret) => isWebhookSignature(BODY, header, secret, { now: AT }))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is of this body and of this moment', () => {
    const later = new Date(AT.getTime() + 301_000);
    expect(isWebhookSignature(`${BODY}\n`, header, 'new', { now: AT })).toBe(false);
    expect(isWebhookSignature(BODY, header, 'new', { now: later })).toBe(false);
    expect(isWebhookSignature(BODY, header, 'new', { now: later, tolerance: 600 })).toBe(true);
    expect(isWebhookSignature(BODY, header.replace(`t=${SECONDS}`, `t=${SECONDS + 1}`), 'new', { now: AT })).toBe(
      false,
    );
  });

  it.each(['', 't=', 'v1=00', `t=${SECONDS}`, `t=${SECONDS},v1=`, 'nonsense'])('%j is no signature', (given) => {
    expect(isWebhookSignature(BODY, given, 'new', { now: AT })).toBe(false);
  });
});

import { isSecretName, plainName } from './secret-names.js';

describe('isSecretName', () => {
  it.each([
    ...[
      'password',
      'Password',
      'PASSWORD',
      'pass_word',
      'dbPassword',
      'user.password',
      'passwords',
      'passwd',
      'pwd',
      'passphrase',
    ],
    ...[
      'apiKey',
      'api_key',
      'API-KEY',
      'api key',
      'ApiKey',
      'x-api-key',
      'stripeApiKey',
      'api\u200bkey',
      '\uff41\uff50\uff49key',
    ],
    ...[
      'token',
      'accessToken',
      'access_token',
      'refreshToken',
      'x-auth-token',
      'csrfToken',
      'accessTokens',
      'id_token',
    ],
    ...[
      'secret',
      'clientSecret',
      'client-secret',
      'secrets',
      'secretKey',
      'aws_secret_access_key',
      'privateKey',
      'PRIVATE KEY',
    ],
    ...[
      'authorization',
      'Proxy-Authorization',
      'cookie',
      'cookies',
      'set-cookie',
      'credential',
      'credentials',
      'awsCredentials',
    ],
    ...[
      'cvv',
      'CVC',
      'cardNumber',
      'card_number',
      'pan',
      'ssn',
      'IBAN',
      'otp',
      'pin',
      'creditCard',
      'credit_card_number',
    ],
  ])('%s is secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    ...[
      '',
      'name',
      'amount',
      'maxTokens',
      'inputTokens',
      'tokenCount',
      'secretary',
      'company',
      'span',
      'spin',
      'japan',
      'passenger',
    ],
    ...[
      'author',
      'authorId',
      'key',
      'keys',
      'sessionId',
      'primaryKey',
      'idempotencyKey',
      'passed',
      'orderId',
      'shipping',
      '__proto__',
    ],
  ])('%s is not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('plainName', () => {
  it('drops case, width and separators', () => {
    expect(['apiKey', 'API_KEY', 'api-key', 'api key', 'Api.Key', '\uff21pi/key'].map(plainName)).toEqual(
      Array(6).fill('apikey'),
    );
  });
});

/**
 * Whether a member of this name holds a secret by default. Names are compared without case and separators, so `apiKey`,
 * `api_key`, `API-KEY` and `api key` are one. Whole names: pan, cvv, cvc, cvv2, pin, pwd, ssn, otp, iban, auth,
 * cardNumber and the like. Names that end so: password, passwd, passphrase, passcode, secret, token, apiKey, privateKey,
 * secretKey, accessKey, encryptionKey, signingKey, authorization, cookie, credential(s), creditCard(Number),
 * connectionString, hence also `dbPassword`, `x-auth-token`, `Set-Cookie`. A plural of a count (`maxTokens`) is no secret.
 */
export function isSecretName(name: string): boolean {
  return isSecretPlainName(plainName(name));
}

/** The same for a name that `plainName` made. */
export function isSecretPlainName(plain: string): boolean {
  return WHOLE_NAMES.has(plain) || ENDINGS.test(plain);
}

/** A name without case, width and separators. */
export function plainName(name: string): string {
  // Nearly every name is plain as it is.
  if (PLAIN.test(name)) return name;
  return name.normalize('NFKC').toLowerCase().replace(NOT_LETTER_OR_DIGIT, '');
}

const PLAIN = /^[a-z0-9]*$/;
const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu;

// Short words that end many harmless names (`span`, `spin`, `bypass`) count only as the whole name.
const WHOLE_NAMES: ReadonlySet<string> = new Set([
  ...['pan', 'cvv', 'cvv2', 'cvc', 'cvc2', 'cardnumber', 'cardpan', 'cardcvv', 'cardcvc', 'securitycode'],
  ...['pin', 'pincode', 'pwd', 'otp', 'ssn', 'socialsecuritynumber', 'iban', 'auth', 'bearer', 'jwt'],
  ...['tokens', 'accesstokens', 'refreshtokens', 'authtokens', 'tokenvalue', 'passwordhash', 'secretvalue'],
]);

const ENDINGS = new RegExp(
  `(?:${[
    'passwords?|passwd|passphrase|passcode|secrets?|token|authorization|cookies?|credentials?',
    '(?:api|private|secret|access|encryption|signing)keys?|creditcard(?:number)?|connectionstring',
  ].join('|')})$`,
);

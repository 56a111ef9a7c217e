import type { JsonValue } from '../contracts/json.js';
import type { RedactionOptions } from '../contracts/redaction.options.js';
import { cut } from './cut.js';
import { sanitizeText, screened, type SanitizeCaps } from './sanitizer.js';
import { HIDDEN, type Screen } from './sanitizing/screen.js';
import { isSecretPlainName, plainName } from './secret-names.js';
import { visibleText } from './visible-text.js';

const LONGEST_PLACEHOLDER = 100;

/**
 * What evidence, events, logs and views show of a value: sanitized, and without secrets. Hidden are members with a secret
 * name, whole (see `isSecretName`; `keys` adds to it), what `valuePatterns` match in texts and keys, and what `redact`
 * says. Neither method throws; where the host's part throws, the placeholder stands instead and `failures` counts it.
 * JSON inside a string is text. A pattern is matched within the part that is kept, and 64 Ki characters beyond.
 */
export class Redactor {
  private readonly names: ReadonlySet<string>;
  private readonly namePatterns: readonly RegExp[];
  private readonly valuePatterns: readonly RegExp[];
  private readonly screen: Screen;
  private failed = 0;

  constructor(private readonly options: RedactionOptions = {}) {
    const keys = options.keys ?? [];
    this.names = new Set(keys.filter((key) => typeof key === 'string').map(plainName));
    // Copies, for a global or sticky pattern of the host remembers where it last matched.
    this.namePatterns = keys.filter((key) => typeof key !== 'string').map((key) => withFlags(key, ''));
    this.valuePatterns = (options.valuePatterns ?? []).map((pattern) => withFlags(pattern, 'g'));
    this.screen = {
      placeholder: cut(visibleText(options.placeholder ?? '[redacted]'), LONGEST_PLACEHOLDER),
      hides: (key) => this.hides(key),
      text: (text) => this.text(text),
      ...(options.redact ? { value: (value, path) => this.value(value, path) } : {}),
    };
  }

  /** What stands where something is hidden. */
  get placeholder(): string {
    return this.screen.placeholder;
  }

  /** How often a part supplied by the host has thrown, since the start. */
  get failures(): number {
    return this.failed;
  }

  /** Any value, as it may be shown. */
  redact(value: unknown, caps?: SanitizeCaps): JsonValue {
    return screened(value, this.screen, caps);
  }

  /** A free text, as it may be shown: value patterns only, as a text has no keys. */
  redactText(text: string): string {
    return sanitizeText(this.text(text));
  }

  private hides(key: string): boolean {
    const plain = plainName(key);
    return this.names.has(plain) || isSecretPlainName(plain) || this.namePatterns.some((pattern) => pattern.test(key));
  }

  private text(text: string): string {
    const { placeholder } = this.screen;
    try {
      // A function, so that `$&` in a placeholder cannot bring the match back.
      return this.valuePatterns.reduce((shown, pattern) => shown.replace(pattern, () => placeholder), text);
    } catch {
      // The engine gives up on some patterns with long texts.
      this.failed += 1;
      return placeholder;
    }
  }

  private value(value: unknown, path: readonly (string | number)[]): unknown {
    try {
      return this.options.redact?.(value, path);
    } catch {
      this.failed += 1;
      return HIDDEN;
    }
  }
}

function withFlags(pattern: RegExp, added: string): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '') + added);
}

import type { Type } from '@nestjs/common';
import type { Awaitable } from '../../contracts/awaitable.js';
import type { JsonSchema, JsonValue } from '../../contracts/json.js';

/** What validation came to. Problems are words for the model: they name places, never values. */
export type ValidationResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: readonly string[] };

/** How the arguments of one tool are described to models, and checked. */
export interface ArgumentSchema {
  readonly json: JsonSchema;
  /** The DTO class, where there is one: the metatype that Nest's pipes see. */
  readonly metatype?: Type<object>;
  /** Arguments that passed the rules for all arguments. May throw what a host's own code throws. */
  validate(value: JsonValue): Awaitable<ValidationResult>;
  /** Makes the value again from its validated JSON alone. Absent: only what was received, validated again, gives it. */
  revive?(validated: JsonValue): object;
}

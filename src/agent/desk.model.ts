import type { LanguageModel } from 'ai';

/** The model that the agent asks, and what to call it where people read. */
export interface DeskModel {
  readonly model: LanguageModel;
  readonly description: string;
}

/** DI token of the `DeskModel`. */
export const DESK_MODEL = Symbol('desk:model');

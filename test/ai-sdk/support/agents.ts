import type { LanguageModel } from 'ai';
import { ModelAgent, type ModelSettings } from 'nest-gatehouse/ai-sdk';

/** An agent on a given model. */
export const agentOn = (
  model: unknown,
  { instructions, settings }: { readonly instructions?: string; readonly settings?: ModelSettings } = {},
): ModelAgent => {
  class TestAgent extends ModelAgent {
    override model = model as LanguageModel;
    override instructions = instructions;
    override settings = settings;
  }
  return new TestAgent();
};

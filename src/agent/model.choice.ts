import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { DeskModel } from './desk.model.js';
import { ModelSettingsError } from './model.settings.error.js';
import { scriptedDeskModel } from './scripted/scripted.desk.model.js';

/**
 * The model that the environment names: `MODEL=openai:…`, `MODEL=anthropic:…`, or `MODEL_BASE_URL` with `MODEL` (and `MODEL_API_KEY`); the
 * scripted one without any. Throws `ModelSettingsError`.
 */
export function chooseModel(env: NodeJS.ProcessEnv = process.env): DeskModel {
  const { MODEL: named, MODEL_BASE_URL: baseURL, MODEL_API_KEY: apiKey } = env;
  if (baseURL) return compatible(baseURL, named, apiKey);
  if (!named) return scriptedDeskModel();
  const [, provider, model] = /^([^:]+):(.+)$/s.exec(named) ?? [];
  if (model !== undefined && provider === 'openai') return { model: createOpenAI()(model), description: named };
  if (model !== undefined && provider === 'anthropic') return { model: createAnthropic()(model), description: named };
  throw new ModelSettingsError(`MODEL is '${named}', which names no provider that is known here.`);
}

function compatible(baseURL: string, named: string | undefined, apiKey: string | undefined): DeskModel {
  if (!named) throw new ModelSettingsError('MODEL_BASE_URL is set, but MODEL does not say which model to ask for.');
  if (!URL.canParse(baseURL)) throw new ModelSettingsError(`MODEL_BASE_URL is '${baseURL}', which is no URL.`);
  const provider = createOpenAICompatible({
    name: 'compatible',
    baseURL,
    // Otherwise nobody counts the tokens of a streamed answer.
    includeUsage: true,
    ...(apiKey ? { apiKey } : {}),
  });
  return { model: provider(named), description: `${named} at ${new URL(baseURL).host}` };
}

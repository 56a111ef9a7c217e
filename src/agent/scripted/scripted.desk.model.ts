import { says, ScriptedModel, type ScriptedParts, type ScriptedPrompt } from 'nest-gatehouse/testing';
import type { DeskModel } from '../desk.model.js';
import { EXAMPLES, responsesFor } from './sentences.js';

/** Begins every answer of the scripted model, so that nobody takes it for a real one. */
export const SCRIPTED_LABEL = '[scripted model]';

/** Proposes real calls for a few fixed sentences, one response after the other, and then quotes the results. */
export const scriptedDeskModel = (): DeskModel => ({
  model: new ScriptedModel(nextResponse),
  description: 'scripted (no model is asked; set MODEL for a real one)',
});

function nextResponse({ lastUserText, lastResults, messages }: ScriptedPrompt): ScriptedParts {
  const responses = responsesFor(lastUserText);
  if (responses === undefined) return [says(`${SCRIPTED_LABEL} I only understand: ${EXAMPLES.join('; ')}.`)];
  return responses[callsSinceTheUser(messages)] ?? [says(`${SCRIPTED_LABEL} ${lastResults.map(quoted).join(' ')}`)];
}

const quoted = ({ toolName, content }: ScriptedPrompt['lastResults'][number]): string => `${toolName}: ${content}`;

/** How many responses with calls the model has given since the user spoke. */
const callsSinceTheUser = (messages: ScriptedPrompt['messages']): number =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user')).filter(({ calls }) => calls.length > 0).length;

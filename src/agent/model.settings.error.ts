import { StartError } from '../starting/start.error.js';

/** `MODEL` and its companions do not name a model. */
export class ModelSettingsError extends StartError {
  constructor(problem: string) {
    super(
      `${problem} Set MODEL=openai:<model> (with OPENAI_API_KEY), MODEL=anthropic:<model> (with ANTHROPIC_API_KEY), or ` +
        `MODEL_BASE_URL=<url> with MODEL=<model> (and MODEL_API_KEY) for anything OpenAI-compatible. Set none of them for the scripted model.`,
    );
  }
}

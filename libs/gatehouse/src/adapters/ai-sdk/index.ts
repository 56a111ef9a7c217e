export { ModelAgent } from './model.agent.js';
export { ModelResponseError } from './model-response.error.js';
export type { ModelSettings } from './model.settings.js';

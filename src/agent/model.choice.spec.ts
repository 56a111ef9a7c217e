import { chooseModel } from './model.choice.js';
import { ModelSettingsError } from './model.settings.error.js';

describe('the choice of a model', () => {
  it.each([
    [{}, 'gatehouse.scripted', 'scripted'],
    [{ MODEL: 'openai:gpt-5.2' }, 'openai.responses', 'gpt-5.2'],
    [{ MODEL: 'anthropic:claude-sonnet-5' }, 'anthropic.messages', 'claude-sonnet-5'],
    [{ MODEL: 'qwen:7b', MODEL_BASE_URL: 'http://localhost:11434/v1' }, 'compatible.chat', 'qwen:7b'],
  ])('with %j it is %s %s', (env, provider, modelId) => {
    expect(chooseModel(env).model).toMatchObject({ provider, modelId });
  });

  it.each([
    [{ MODEL: 'gpt-5.2' }, "MODEL is 'gpt-5.2'"],
    [{ MODEL: 'mistral:large' }, "MODEL is 'mistral:large'"],
    [{ MODEL_BASE_URL: 'http://localhost:11434/v1' }, 'MODEL does not say'],
    [{ MODEL_BASE_URL: 'localhost', MODEL: 'x' }, 'is no URL'],
  ])('%j names no model, and the error says what does', (env, problem) => {
    expect(() => chooseModel(env)).toThrow(ModelSettingsError);
    expect(() => chooseModel(env)).toThrow(problem);
    expect(() => chooseModel(env)).toThrow('MODEL=openai:<model>');
  });

  it('says of the scripted model that it is scripted', () => {
    expect(chooseModel({}).description).toBe('scripted (no model is asked; set MODEL for a real one)');
  });
});

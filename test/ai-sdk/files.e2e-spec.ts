import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { InvalidQueryError, type MessageFile } from 'nest-gatehouse';
import { says } from 'nest-gatehouse/testing';

import { openDesk } from '../e2e/support/desk.app.js';
import { filePart, KEPT, PNG } from '../e2e/support/pictures.js';
import { ChatClient } from './support/chat.client.js';
import { ChatServer, streams, words } from './support/chat.server.js';
import { governedApp } from './support/governed.app.js';

describe('a file in a message', () => {
  const server = new ChatServer([streams(words('A dent.'), 'stop')]);
  let governed: Awaited<ReturnType<typeof governedApp>>;
  beforeAll(async () => {
    const provider = createOpenAICompatible({ name: 'loopback', baseURL: await server.listen(), apiKey: 'none' });
    governed = await governedApp(provider.chatModel('loopback'));
  });
  afterAll(async () => {
    await governed.app.close();
    await server.close();
  });
  const start = (file: MessageFile) =>
    governed.runner.start({ agent: 'desk', input: [{ text: 'broken?', files: [file] }] });

  it('is read by the provider', async () => {
    const { outcome } = start({ ...KEPT, mediaType: 'Image/PNG; x=1', name: 'a\0.png' });
    expect(await outcome).toMatchObject({ status: 'completed', output: 'A dent.' });
    expect(server.requests.map(({ messages }) => messages)).toEqual([
      [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: 'text', text: 'broken?' },
          ],
        },
      ],
    ]);
  });

  it.each([
    [
      'half a type',
      { ...KEPT, mediaType: 'image' },
      "input[0].files[0].mediaType must be a media type, as 'image/png'.",
    ],
    ['an address', { ...KEPT, data: 'https://example.com/a.png' }, 'input[0].files[0].data must be base64.'],
    ['bytes', { ...KEPT, data: new Uint8Array([1]) as never }, 'input[0].files[0].data must be base64.'],
    ['a name that is none', { ...KEPT, name: 7 as never }, 'input[0].files[0].name must be text.'],
  ])('a program that gives %s is told what is wrong, and nothing is started', async (_, file, said) => {
    const { started, outcome } = start(file);
    outcome.catch(() => undefined);
    const failure: unknown = await started.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidQueryError);
    expect((failure as Error).message).toBe(said);
  });
});

it("the AI SDK's own chat client sends one along, and goes on", async () => {
  const desk = await openDesk({ streaming: { files: ['image/png'] } });
  try {
    const script = desk.play([[says('A dent.')]]);
    const chat = new ChatClient(`${desk.url}/agent/chat`, { id: 'with-a-file' });
    await chat.sendMessage({ text: 'broken?', files: [filePart()] });
    await chat.sendMessage({ text: 'sure?' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.told).toEqual([
      'user: file, broken?',
      'assistant: step-start, A dent.',
      'user: sure?',
      'assistant: step-start, A dent.',
    ]);
    expect(script.requests.at(-1)).toMatchObject([
      { text: 'broken?', files: [KEPT] },
      { text: 'A dent.' },
      { text: 'sure?' },
    ]);
  } finally {
    await desk.close();
  }
});

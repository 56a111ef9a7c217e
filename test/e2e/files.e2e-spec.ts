import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ConfigurationError } from 'nest-gatehouse';
import { says } from 'nest-gatehouse/testing';

import { chat, chatBody, chunkTypes } from './support/chat.js';
import { agentOf, asks, eventsIn, fresh, play, post, problemIn } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { filePart, imagePart, KEPT, PNG } from './support/pictures.js';

const userParts = (...parts: readonly object[]) => ({ id: fresh('message'), role: 'user', parts });
const asksWith = (...content: readonly object[]) =>
  asks('', { messages: [{ id: fresh('message'), role: 'user', content }] });
const SEE = { type: 'text', text: 'see' };

describe('files of an accepted type', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({ streaming: { files: ['image/*'] } })));
  afterAll(() => desk.close());

  it('reach a run from the real AG-UI client, and its next request', async () => {
    const script = desk.play([[says('A dent.')]]);
    const agent = agentOf(desk);
    agent.addMessage({ id: 'picture', role: 'user', content: [{ type: 'text', text: 'broken' }, imagePart()] });
    expect(await play(agent)).toMatchObject({ outcome: 'success' });
    const kept = { id: 'picture', role: 'user', text: 'broken', files: [KEPT] };
    expect(script.requests).toEqual([[kept]]);
    const next = desk.play([[says('Yes.')]]);
    agent.addMessage({ id: 'more', role: 'user', content: 'sure?' });
    await play(agent);
    expect(next.requests[0]?.[0]).toEqual(kept);
    expect(next.requests[0]?.at(-1)).toEqual({ id: 'more', role: 'user', text: 'sure?' });
  });

  it('are a message of their own, on both protocols', async () => {
    const script = desk.play([[says('A dent.')]]);
    const first = await eventsIn(await post(desk, 'runs', asksWith(imagePart())));
    const second = await chat(desk, chatBody(fresh('chat'), [userParts(filePart())]));
    expect(script.requests.map(([message]) => message)).toMatchObject([
      { text: '', files: [KEPT] },
      { text: '', files: [KEPT] },
    ]);
    expect([first.at(-1)?.event.type, chunkTypes(second).at(-1)]).toEqual(['RUN_FINISHED', 'finish']);
    expect(JSON.stringify([first, second])).not.toContain(PNG);
  });

  it('are never fetched: what has an address is left out, and nobody is asked for it', async () => {
    const asked: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      asked.push(request.url);
      response.end('x');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/a.png`;
    const script = desk.play([[says('What?')]]);
    await eventsIn(await post(desk, 'runs', asksWith(SEE, imagePart({ type: 'url', value: url }))));
    await chat(desk, chatBody(fresh('chat'), [userParts(SEE, filePart({ url }))]));
    expect(script.requests.map(([message]) => Object.keys(message ?? {}))).toEqual([
      ['id', 'role', 'text'],
      ['id', 'role', 'text'],
    ]);
    expect(await problemIn(await post(desk, 'runs', asksWith(imagePart({ type: 'url', value: url }))))).toBe(
      '400 invalid_request',
    );
    expect(asked).toEqual([]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  it.each([
    ['another type', filePart({ mediaType: 'text/html', url: 'data:text/html;base64,PGI+' })],
    ['another type under the name of an accepted one', filePart({ url: 'data:text/html;base64,PGI+' })],
  ])('%s is left out', async (_, part) => {
    const script = desk.play([[says('What?')]]);
    await chat(desk, chatBody(fresh('chat'), [userParts(SEE, part)]));
    expect(script.requests).toMatchObject([[{ text: 'see' }]]);
    expect(script.requests[0]?.[0]).not.toHaveProperty('files');
    const alone = await post(desk, 'chat', chatBody(fresh('chat'), [userParts(part)]));
    expect(await alone.json()).toMatchObject({
      status: 400,
      detail: 'messages must not hold a message without text or a file that is accepted.',
    });
  });

  it.each([
    [filePart({ url: 'data:image/png;base64,????' }), 'url must hold base64.'],
    [filePart({ url: 'data:image/png' }), 'url must be a base64 data URL with a media type.'],
    [filePart({ url: `data:image/jpeg;base64,${PNG}` }), 'mediaType must be the type of the data URL.'],
    [
      filePart({ filename: 'a\0.png' }),
      'filename must be text of at most 255 characters, none of them a control character.',
    ],
  ])('%j is refused, the field by its name, and starts nothing', async (part, said) => {
    const script = desk.play([[says('never')]]);
    const response = await post(desk, 'chat', chatBody(fresh('chat'), [userParts(SEE, part)]));
    expect(await response.json()).toMatchObject({ status: 400, detail: `messages[0].parts[1].${said}` });
    expect(script.requests).toEqual([]);
  });

  it('broken bytes and a NUL in a name are refused over AG-UI too', async () => {
    const broken = imagePart({ type: 'data', value: 'A', mimeType: 'image/png' });
    const named = { ...imagePart(), metadata: { filename: '\0' } };
    const said = [];
    for (const part of [broken, named]) said.push(await problemIn(await post(desk, 'runs', asksWith(SEE, part))));
    expect(said).toEqual(['400 invalid_request', '400 invalid_request']);
  });

  it('a file of 3 MB is taken, one of 5 MB is more than a body may be', async () => {
    const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64');
    const url = (count: number) => `data:image/png;base64,${bytes(count)}`;
    const script = desk.play([[says('Big.')]]);
    const at = fresh('chat');
    expect(chunkTypes(await chat(desk, chatBody(at, [userParts(filePart({ url: url(3_000_000) }))]))).at(-1)).toBe(
      'finish',
    );
    const [message] = script.requests[0] ?? [];
    expect(message?.role === 'user' && message.files?.[0]?.data === bytes(3_000_000)).toBe(true);
    const tooLarge = chatBody(fresh('chat'), [userParts(filePart({ url: url(5_000_000) }))]);
    expect(await problemIn(await post(desk, 'chat', tooLarge))).toBe('413 payload_too_large');
  });
});

describe('without the option', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());

  it('files are left out, even broken ones, and a message of files alone is refused', async () => {
    const script = desk.play([[says('What?')]]);
    await chat(desk, chatBody(fresh('chat'), [userParts(SEE, filePart(), filePart({ url: 'data:' }))]));
    await eventsIn(await post(desk, 'runs', asksWith(SEE, imagePart())));
    expect(script.requests.map(([message]) => Object.keys(message ?? {}))).toEqual([
      ['id', 'role', 'text'],
      ['id', 'role', 'text'],
    ]);
    const alone = await post(desk, 'chat', chatBody(fresh('chat'), [userParts(filePart())]));
    expect(await problemIn(alone)).toBe('400 invalid_request');
    expect(await problemIn(await post(desk, 'runs', asksWith(imagePart())))).toBe('400 invalid_request');
  });
});

describe('at boot', () => {
  const refusal = async (streaming: object): Promise<string> => {
    const failure: unknown = await openDesk({ streaming }).catch((error: unknown) => error);
    if (failure instanceof ConfigurationError) return failure.message;
    throw new Error('It booted.');
  };

  it.each([
    [{ files: ['png'] }, "streaming.files has 'png': write a media type, such as 'image/png' or 'image/*'."],
    [{ files: ['*/*'] }, "streaming.files has '*/*': write a media type, such as 'image/png' or 'image/*'."],
    [{ files: [7] }, "streaming.files has '7': write a media type, such as 'image/png' or 'image/*'."],
    [{ files: 'image/png' }, 'streaming.files must be a list.'],
    [
      { accept: ['tools'] },
      "streaming.accept does not know 'tools'. Known: state, context. Files are accepted by streaming.files.",
    ],
    [{ accept: 'state' }, 'streaming.accept must be a list.'],
  ])('%j is refused', async (streaming, said) => {
    expect(await refusal(streaming)).toBe(said);
  });
});

import { SseParser } from './sse.parser.js';

const parsed = (...chunks: readonly string[]) => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
};

describe('the SSE parser', () => {
  const stream = 'id: 1\nevent: message\ndata: {"a":1}\n\n: beat\n\ndata: one\ndata:two\n\n';
  const frames = [{ id: '1', event: 'message', data: '{"a":1}' }, { comment: 'beat' }, { data: 'one\ntwo' }];

  it('reads frames, comments and several data lines', () => {
    expect(parsed(stream)).toEqual(frames);
  });

  it.each([['\r\n'], ['\r']])('takes %j for a line end', (end) => {
    // A lone CR at the very end could still become CR LF, so the last frame needs one more line.
    expect(parsed(stream.replaceAll('\n', end) + ':\n')).toEqual(parsed(stream));
  });

  it('gives the same frames wherever the chunks are cut', () => {
    const text = stream.replaceAll('\n', '\r\n');
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(parsed(text.slice(0, cut), text.slice(cut))).toEqual(parsed(stream));
    expect(parsed(...text)).toEqual(parsed(stream));
  });

  it('keeps a colon and further spaces of a value, and takes a bare name for an empty value', () => {
    expect(parsed('data:  a: b\nid\n\n')).toEqual([{ data: ' a: b', id: '' }]);
  });

  it('drops what is not complete, and blank lines between frames', () => {
    expect(parsed('\n\ndata: x\n\n\ndata: half')).toEqual([{ data: 'x' }]);
  });
});

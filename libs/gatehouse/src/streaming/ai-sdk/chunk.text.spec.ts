import type { JsonValue } from '../../contracts/json.js';
import { textOfChunk } from './chunk.text.js';

const shown = (text: string) => textOfChunk({ type: 'data-x', data: JSON.parse(text) as JsonValue });

describe('textOfChunk', () => {
  it('renames what clients take for an attack, wherever it stands, and nothing else', () => {
    const odd = '[{"constructor":{"prototype":{"y":{"__proto__":1}}}},{"constructor":"Bob"},{"constructor":{"a":1}}]';
    expect(shown(odd)).toBe(
      '{"type":"data-x","data":[{"[constructor]":{"prototype":{"y":{"[__proto__]":1}}}},{"constructor":"Bob"},{"constructor":{"a":1}}]}',
    );
  });

  it('leaves a text that speaks of it alone', () => {
    const delta = '{"constructor":{"prototype":{}},"__proto__":1}';
    expect(JSON.parse(textOfChunk({ type: 'text-delta', id: 'm', delta }))).toEqual({
      type: 'text-delta',
      id: 'm',
      delta,
    });
  });
});

import { takenFile } from './taken.file.js';

const PNG = 'iVBORw0KGgo=';
const ACCEPTED = ['image/*', 'application/pdf'];

const inUrl = (url: unknown, mediaType: unknown = 'image/png', name?: unknown) =>
  takenFile({ mediaType: [mediaType, 'p.mediaType'], name: [name, 'p.filename'], url: [url, 'p.url'] }, ACCEPTED);
const inBase64 = (data: unknown, mediaType: unknown = 'image/png') =>
  takenFile({ mediaType: [mediaType, 'p.mimeType'], name: [undefined, 'p.name'], base64: [data, 'p.value'] }, ACCEPTED);
const refused = (ask: () => unknown): string => {
  try {
    return `accepted ${JSON.stringify(ask())}`;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('takenFile', () => {
  it('takes what is inline and of an accepted type, as the URL names it', () => {
    expect(inUrl(`data:image/png;base64,${PNG}`)).toEqual({ mediaType: 'image/png', data: PNG });
    expect(inUrl(`DATA:Image/PNG;q=1; BASE64,${PNG}`, 'IMAGE/png; x', 'a b.png')).toEqual({
      mediaType: 'image/png',
      name: 'a b.png',
      data: PNG,
    });
    expect(inBase64(PNG)).toEqual({ mediaType: 'image/png', data: PNG });
  });

  it.each([undefined, null, '', 'image'])('%j declares nothing else than its own type', (declared) => {
    expect(inUrl(`data:image/png;base64,${PNG}`, declared)).toEqual({ mediaType: 'image/png', data: PNG });
  });

  it.each([
    'https://example.com/a.png',
    'file:///etc/passwd',
    'blob:x',
    '',
    undefined,
    7,
    ' data:image/png;base64,AA==',
  ])('leaves what is elsewhere: %j', (url) => {
    expect(inUrl(url)).toBe('files.url');
  });

  it.each([
    ['data:text/html;base64,PGI+', 'image/png'],
    ['data:text/html;base64,PGI+', 'text/html'],
    ['data:text/html;base64,not base64', 'text/html'],
  ])('leaves a type that is not accepted, whatever it is declared to be: %j', (url, declared) => {
    expect(inUrl(url, declared)).toBe('files.type');
  });

  it.each([null, 7, 'image', 'image/*', 'text/html'])('leaves bytes declared as %j', (declared) => {
    expect(inBase64(PNG, declared)).toBe('files.type');
  });

  it('leaves everything where nothing is accepted', () => {
    expect(takenFile({ mediaType: [1, ''], name: [1, ''], url: ['data:', 'p.url'] }, [])).toBe('files');
  });

  it.each([
    'data:',
    'data:,x',
    'data:image/png',
    `data:;base64,${PNG}`,
    `data:image;base64,${PNG}`,
    `data:image/*;base64,${PNG}`,
    `data:image/png,${PNG}`,
    `data:image/png;base64;x,${PNG}`,
    `data:image/png;${'x'.repeat(512)};base64,${PNG}`,
  ])('refuses %j, which is no data URL of a file', (url) => {
    expect(refused(() => inUrl(url))).toBe('p.url must be a base64 data URL with a media type.');
  });

  it.each(['', 'A', 'AAA', 'AB==', 'AAAA=', 'AA==AA==', 'A_-A', 'AA A', 'AAAA\n', '%41AAA', 'é'])(
    'refuses %j, which is not base64',
    (data) => {
      expect(refused(() => inUrl(`data:image/png;base64,${data}`))).toBe('p.url must hold base64.');
      expect(refused(() => inBase64(data))).toBe('p.value must hold base64.');
    },
  );

  it('refuses bytes that are no text', () => {
    expect(refused(() => inBase64({ 0: 1 }))).toBe('p.value must hold base64.');
  });

  it.each(['image/jpeg', 'text/html', 'images', 'image/*', 7])('refuses an image/png declared as %j', (declared) => {
    expect(refused(() => inUrl(`data:image/png;base64,${PNG}`, declared))).toBe(
      'p.mediaType must be the type of the data URL.',
    );
  });

  it.each(['a\0.png', 'a\n', '\u009b', 'x'.repeat(256), 7, {}])('refuses the name %j', (name) => {
    expect(refused(() => inUrl(`data:image/png;base64,${PNG}`, 'image/png', name))).toBe(
      'p.filename must be text of at most 255 characters, none of them a control character.',
    );
  });
});

import { listeningPort } from './listening.js';
import { PortSettingError } from './port.errors.js';

describe('the port', () => {
  it.each([
    [undefined, 3000],
    ['', 3000],
    ['0', 0],
    ['8080', 8080],
    ['65535', 65535],
  ])('PORT=%s is %i', (PORT, port) => {
    expect(listeningPort({ PORT })).toBe(port);
  });

  it.each([['65536'], ['-1'], ['http'], ['3000 '], ['1e3']])('PORT=%s is refused', (PORT) => {
    expect(() => listeningPort({ PORT })).toThrow(PortSettingError);
  });
});

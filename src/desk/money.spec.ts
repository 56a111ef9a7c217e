import { inEuros, toCents } from './money.js';

describe('money', () => {
  it.each([
    ['25', 2500],
    ['25.5', 2550],
    ['25.00', 2500],
    ['0.07', 7],
    ['19.99', 1999],
  ])('reads %s as %i cents', (text, cents) => {
    expect(toCents(text)).toBe(cents);
  });

  it.each([['-1'], ['1.234'], ['1e3'], ['.5'], ['12345678'], ['']])('does not read %j', (text) => {
    expect(toCents(text)).toBeUndefined();
  });

  it('shows cents in euros', () => {
    expect([inEuros(2500), inEuros(7), inEuros(123456)]).toEqual(['25.00 EUR', '0.07 EUR', '1234.56 EUR']);
  });
});

import { looksLikeProposal, readProposal } from './output.proposal.js';

describe('readProposal', () => {
  it.each([
    ['a value', '{"return":4}', { kind: 'return', value: 4 }],
    ['null, a value like any other', { return: null }, { kind: 'return', value: null }],
    ['a call', '{"returnCall":{"toolName":"add","args":{"x":1}}}', { kind: 'call', toolName: 'add', args: { x: 1 } }],
    ['a call without arguments', { returnCall: { toolName: 'add' } }, { kind: 'call', toolName: 'add', args: {} }],
    ['a failed operation', { raise: 'o1' }, { kind: 'raise', operationId: 'o1' }],
  ])('reads %s', (_, proposed, proposal) => {
    expect(readProposal(proposed)).toEqual(proposal);
  });

  it.each([
    ['nothing', '', 'pass exactly one of return, returnCall and raise'],
    ['two at once', { return: 1, raise: 'o1' }, 'pass exactly one of return, returnCall and raise'],
    ['another key', { result: 1 }, 'pass exactly one of return, returnCall and raise'],
    ['a call without a name', { returnCall: { args: {} } }, 'returnCall: must be { toolName, args }'],
    ['a raise that is no id', { raise: 7 }, 'raise: must be an operation id'],
    ['a bare value', '4', 'The arguments are not a JSON object. Write an object.'],
  ])('refuses %s', (_, proposed, problem) => {
    expect(readProposal(proposed)).toEqual({ kind: 'invalid', problem });
  });
});

describe('looksLikeProposal', () => {
  it.each([
    ['{"return":1}', true],
    ['{"raise":"o1","return":2}', true],
    ['Let me look.', false],
    ['{"order":7}', false],
    ['', false],
  ])('%j: %p', (text, is) => {
    expect(looksLikeProposal(text)).toBe(is);
  });
});

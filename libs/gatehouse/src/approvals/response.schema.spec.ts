import { responseSchema } from './response.schema.js';

const ANSWER = {
  approved: { type: 'boolean', description: 'Whether the call may run with the arguments that were shown.' },
  reason: { type: 'string', description: 'Shown to the model on a denial.' },
};

describe('responseSchema', () => {
  it('asks for yes or no, and a reason', () => {
    expect(responseSchema({ parameters: { type: 'object' } })).toEqual({
      type: 'object',
      properties: ANSWER,
      required: ['approved'],
    });
  });

  it('takes edited arguments where the tool lets them be edited; what its schema refers to stands at the root', () => {
    const parameters = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { amount: { $ref: '#/$defs/Money' } },
      required: ['amount'],
      $defs: { Money: { type: 'number' } },
      'x-destructive': true,
    };
    expect(responseSchema({ parameters, approval: { editable: ['amount', 'note'] } })).toEqual({
      type: 'object',
      properties: {
        ...ANSWER,
        editedArgs: {
          type: 'object',
          properties: { amount: { $ref: '#/$defs/Money' } },
          required: ['amount'],
          description: 'Replaces the arguments as a whole; only these may differ: amount, note.',
        },
      },
      required: ['approved'],
      $defs: { Money: { type: 'number' } },
    });
  });

  it('takes none where several people decide', () => {
    const schema = responseSchema({ parameters: {}, approval: { editable: ['amount'], approvers: { quorum: 2 } } });
    expect(schema['properties']).toEqual(ANSWER);
  });
});

import { NewerCheckpointError } from '../../contracts/errors/newer-checkpoint.error.js';
import { bodyOf, bodyText } from './checkpoint.body.js';
import { UPGRADES } from './checkpoint.upgrades.js';
import { CHECKPOINT_VERSION } from './checkpoint.version.js';

const OF = 'Run 7';

it('what is stored carries the present version, and reads back', () => {
  const state = { version: 9, body: [1, 2] };
  expect(JSON.parse(bodyText(state))).toEqual([CHECKPOINT_VERSION, state]);
  expect(bodyOf('state', bodyText(state), OF)).toEqual(state);
});

it('what was stored before there were versions reads as it is, whatever its members are called', () => {
  expect(bodyOf('state', '{"0":1,"1":{},"version":99}', OF)).toEqual({ 0: 1, 1: {}, version: 99 });
});

it('there is one upgrade for every version before the present one', () => {
  expect(UPGRADES).toHaveLength(CHECKPOINT_VERSION);
});

it('an older version passes every upgrade since, of its own part alone', () => {
  const upgrades = [
    { step: (body: unknown) => ({ one: body }) },
    { counters: () => 'never asked' },
    { step: (body: unknown) => ({ three: body }) },
  ];
  const known = { version: 3, upgrades };
  expect(bodyOf('step', '{"a":1}', OF, known)).toEqual({ three: { one: { a: 1 } } });
  expect(bodyOf('step', '[1,{"a":1}]', OF, known)).toEqual({ three: { a: 1 } });
  expect(bodyOf('step', '[3,{"a":1}]', OF, known)).toEqual({ a: 1 });
  expect(bodyOf('message', '[0,{"a":1}]', OF, known)).toEqual({ a: 1 });
});

it('a newer version is an error that says whose it is, and what to do', () => {
  const newer = () => bodyOf('step', `[${CHECKPOINT_VERSION + 1},{}]`, OF);
  expect(newer).toThrow(NewerCheckpointError);
  expect(newer).toThrow(
    `Run 7 was stored by a newer Gatehouse (checkpoint version ${CHECKPOINT_VERSION + 1}), and this one cannot read it. ` +
      'It stays as it is, for a replica of that version: finish the rollout, or send the request again.',
  );
});

it.each(['["1",{}]', '[]', '[1.5,{}]'])('%s is no stored body', (text) => {
  expect(() => bodyOf('step', text, OF)).toThrow('A stored body has no version.');
});

import fc from 'fast-check';
import { CHOICES, type Choices, type Script } from './script.js';

/** Mostly the plain word: one odd role among plain ones says more than eight odd ones. */
const mostlyFirst = <T>([first, ...others]: readonly T[], weight: number): fc.Arbitrary<T> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight, arbitrary: fc.constant(first as T) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const choices: fc.Arbitrary<Choices> = fc.record({
  // The last ones end the run: not in every script.
  tool: fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: fc.constantFrom(...CHOICES.tool.slice(0, -4)) },
    { weight: 1, arbitrary: fc.constantFrom(...CHOICES.tool.slice(-4)) },
  ),
  args: mostlyFirst(CHOICES.args, 8),
  inspector: mostlyFirst(CHOICES.inspector, 4),
  before: mostlyFirst(CHOICES.before, 3),
  after: mostlyFirst(CHOICES.after, 5),
  error: mostlyFirst(CHOICES.error, 3),
  around: mostlyFirst(CHOICES.around, 2),
  answer: mostlyFirst(CHOICES.answer, 1),
});

/** Any script. */
export const scripts: fc.Arbitrary<Script> = fc.record({
  responses: fc.array(fc.array(choices, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
  inspected: fc.boolean(),
  hooked: fc.boolean(),
  wrapped: fc.boolean(),
  converts: mostlyFirst([true, false], 4),
  parallelToolCalls: fc.constantFrom(1, 8),
  toolRetries: fc.constantFrom(1, 0),
  redirects: fc.constantFrom(1, 0, 2),
  toolCalls: mostlyFirst([200, 3], 8),
  output: fc.constantFrom('words', 'graceful', 'early'),
});

/** Scripts whose calls run one after another and whose people answer: what happens in them is the same each time. */
export const repeatableScripts: fc.Arbitrary<Script> = scripts.map((script) => ({
  ...script,
  parallelToolCalls: 1,
  responses: script.responses.map((calls) =>
    calls.map((call): Choices => (call.answer === 'expire' ? { ...call, answer: 'deny' } : call)),
  ),
}));

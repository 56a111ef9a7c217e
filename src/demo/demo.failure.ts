/** The story went another way than it should. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure';
}

/** Ends the demo where something is not as told. */
export function expectThat(holds: boolean, what: string, seen: unknown): asserts holds {
  if (!holds) throw new DemoFailure(`Expected ${what}, but saw: ${JSON.stringify(seen)}`);
}

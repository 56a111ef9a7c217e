import type { JsonValue } from '../contracts/json.js';
import type { RegisteredTool } from '../tools/registered.tool.js';
import { validatedText } from '../tools/validated.text.js';
import { frozenCopy } from '../values/deep-freeze.js';
import { argumentsDigest } from '../values/digest.js';
import { isPlainCopy } from '../values/plain-copy.js';

/** The arguments of an operation once Nest's guards, the schema and Nest's pipes have passed them, bound to the tool as it is now. */
export class BoundArguments {
  private digested: string | undefined;
  private shown: JsonValue | undefined;

  /**
   * @param receivedText canonical JSON of what the model sent
   * @param value what the method gets: a DTO instance, a schema's output
   * @param text its canonical JSON
   */
  constructor(
    readonly receivedText: string,
    readonly value: unknown,
    readonly text: string,
    private readonly digesting: () => string,
  ) {}

  /** What an approval is bound to. Made when it is first asked for: many a call needs none. */
  get digest(): string {
    return (this.digested ??= this.digesting());
  }

  /** A frozen copy of the validated arguments as JSON: nothing that is done to it reaches the method. */
  get plain(): JsonValue {
    return (this.shown ??= frozenCopy(JSON.parse(this.text) as JsonValue));
  }

  /** Whether these arguments are what arrived. */
  are(arrived: unknown): boolean {
    return isPlainCopy(arrived, this.plain) || validatedText(arrived) === this.text;
  }
}

/** Binds what was validated to what was received and to the tool. */
export const bind = (
  tool: RegisteredTool,
  key: string,
  receivedText: string,
  value: unknown,
  text = validatedText(value),
): BoundArguments => {
  const { name, fingerprint } = tool.definition;
  return new BoundArguments(receivedText, value, text, () =>
    argumentsDigest(key, name, fingerprint, receivedText, text),
  );
};

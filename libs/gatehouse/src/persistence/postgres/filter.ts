import { visibleText } from '../../values/visible-text.js';
import { isUuid } from '../../values/ids.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';

/** A WHERE clause with its parameters. Columns come from code, values never enter the text. */
export class Filter {
  private readonly conditions: string[] = [];
  private readonly given: unknown[] = [];
  private impossible = false;

  /** `column = value`, where there is a value. */
  equals(column: string, value: string | boolean | undefined): this {
    return value === undefined ? this : this.add(`${column} =`, typeof value === 'string' ? visibleText(value) : value);
  }

  /** Like `equals`, for a column of the log that is indexed: longer names stand there shortened. */
  named(column: string, value: string | undefined): this {
    return value === undefined ? this : this.add(`${column} =`, ledgerName(value));
  }

  /** Like `equals`, for a uuid column: text that is no uuid matches nothing. */
  isId(column: string, value: string | undefined): this {
    if (value !== undefined && !isUuid(value)) this.impossible = true;
    return value === undefined || this.impossible ? this : this.add(`${column} =`, value);
  }

  /** The value is one of an array column's. */
  within(column: string, value: string | undefined): this {
    if (value !== undefined) this.conditions.push(`$${this.given.push(visibleText(value))} = ANY(${column})`);
    return this;
  }

  isNull(column: string): this {
    this.conditions.push(`${column} IS NULL`);
    return this;
  }

  /** The column's value is one of these. */
  equalsAny(column: string, values: readonly string[]): this {
    // An index serves one value in its own order, and several only unordered.
    const [only] = values;
    if (values.length === 1) return this.equals(column, only);
    this.conditions.push(`${column} = ANY($${this.given.push([...values])}::text[])`);
    return this;
  }

  /** From an instant (inclusive) until another (exclusive). */
  between(column: string, from: Date | undefined, until: Date | undefined): this {
    if (from !== undefined) this.add(`${column} >=`, from);
    if (until !== undefined) this.add(`${column} <`, until);
    return this;
  }

  /** The rows after a cursor, newest first, one more than the limit. @param condition one more, of code alone */
  page(column: string, after: string | null, limit: number, condition?: string): string {
    if (after !== null) this.add(`${column} <`, after);
    if (condition !== undefined) this.conditions.push(condition);
    return `${this.clause()} ORDER BY ${column} DESC LIMIT ${limit + 1}`;
  }

  /** The parameters of the clause; Postgres refuses ones it does not name. */
  get values(): readonly unknown[] {
    return this.impossible ? [] : this.given;
  }

  /** The clause alone. */
  where(): string {
    return this.clause();
  }

  private clause(): string {
    if (this.impossible) return 'WHERE false';
    return this.conditions.length === 0 ? '' : `WHERE ${this.conditions.join(' AND ')}`;
  }

  private add(condition: string, value: unknown): this {
    this.conditions.push(`${condition} $${this.given.push(value)}`);
    return this;
  }
}

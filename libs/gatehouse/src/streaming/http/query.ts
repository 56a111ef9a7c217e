import { badField } from './problem.error.js';

/** Query parameters as Express parses them: text, or lists and objects where a client insists. */
export type Query = Readonly<Record<string, unknown>>;

const LONGEST = 500;
const MAX_PAGE = 500;
const ISO_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads query parameters; every reader throws a 400 problem that names the parameter. */
export class QueryReader {
  constructor(private readonly query: Query) {}

  /** Refuses parameters that no filter has: a typing slip would list too much. */
  only(...names: string[]): this {
    const unknown = Object.keys(this.query).find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw badField(`Query parameter '${unknown.slice(0, 64)}'`, `is none of ${names.join(', ')}`);
    return this;
  }

  text(name: string): string | undefined {
    const value = this.query[name];
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '' && value.length <= LONGEST) return value;
    throw badField(`Query parameter '${name}'`, `must be given once, with 1 to ${LONGEST} characters`);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = values.find((candidate) => candidate === text);
    if (value !== undefined) return value;
    throw badField(`Query parameter '${name}'`, `must be one of ${values.join(', ')}`);
  }

  flag(name: string): boolean | undefined {
    const value = this.oneOf(name, ['true', 'false']);
    return value === undefined ? undefined : value === 'true';
  }

  instant(name: string): Date | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const date = new Date(text);
    if (ISO_INSTANT.test(text) && !Number.isNaN(date.getTime())) return date;
    throw badField(`Query parameter '${name}'`, 'must be an instant such as 2026-01-31T12:00:00Z');
  }

  /** `limit` (1 to 500, default 50) and `cursor`. */
  page(): { readonly limit: number; readonly cursor?: string } {
    const limit = this.text('limit') ?? '50';
    const cursor = this.text('cursor');
    if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MAX_PAGE)
      throw badField("Query parameter 'limit'", `must be 1 to ${MAX_PAGE}`);
    return { limit: Number(limit), ...(cursor === undefined ? {} : { cursor }) };
  }
}

/** The parameters that were given, without the names of those that were not. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

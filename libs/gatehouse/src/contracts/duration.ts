/** A span of time: a number of milliseconds, or text such as `'15m'`, `'60s'`, `'24h'`. */
export type Duration = number | string;

import { Logger, type LoggerService } from '@nestjs/common';

/** One line that something logged through Nest. */
export interface LoggedLine {
  readonly level: 'log' | 'warn' | 'error';
  readonly context: string;
  readonly message: string;
  readonly stack?: string;
}

/**
 * Collects what Nest's `Logger` is given, until `release` is called.
 *
 * @example
 * ```ts
 * const log = captureLog();
 * afterEach(() => log.release());
 * ```
 */
export function captureLog(): { readonly lines: LoggedLine[]; release(): void } {
  const lines: LoggedLine[] = [];
  const take =
    (level: LoggedLine['level']) =>
    (message: unknown, ...rest: unknown[]): void => {
      const [context = '', stack] = rest
        .filter((part) => part !== undefined)
        .map(String)
        .reverse();
      lines.push({ level, context, message: String(message), ...(stack === undefined ? {} : { stack }) });
    };
  const service: LoggerService = { log: take('log'), warn: take('warn'), error: take('error') };
  Logger.overrideLogger(service);
  return { lines, release: (): void => void Logger.overrideLogger(['log', 'warn', 'error']) };
}

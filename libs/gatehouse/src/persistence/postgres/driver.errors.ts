const LOST_CODES = new Set([
  '57P01',
  '57P02',
  '57P03',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// node-postgres has no codes for its own words; TypeORM says "released" where the connection under a transaction is gone.
const LOST_WORDS = /Connection terminated|connection error and is not queryable|already released|Client was closed/i;
// A transaction that lost a race was rolled back as a whole: it may run again.
const RACE_CODES = new Set(['40001', '40P01']);

/** The driver's error behind TypeORM's. */
export function driverError(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'driverError' in error ? error.driverError : error;
}

/** The SQLSTATE, or the system's code; empty where there is none. */
export function errorCode(error: unknown): string {
  const driver = driverError(error);
  return typeof driver === 'object' && driver !== null && 'code' in driver && typeof driver.code === 'string'
    ? driver.code
    : '';
}

/** Whether the connection was lost: what was sent may or may not have been committed. */
export function isConnectionLoss(error: unknown): boolean {
  const code = errorCode(error);
  if (LOST_CODES.has(code) || code.startsWith('08')) return true;
  return [error, driverError(error)].some((one) => one instanceof Error && LOST_WORDS.test(one.message));
}

/** Whether two transactions met and this one was rolled back. */
export const isLostRace = (error: unknown): boolean => RACE_CODES.has(errorCode(error));

/** Whether the values themselves were refused: data exceptions, broken constraints, exceeded limits. */
export const isPoison = (error: unknown): boolean => /^(22|23|54)/.test(errorCode(error));

import { driverError, errorCode } from '../driver.errors.js';

/** Another batch has this number. */
export const isBatchTaken = (error: unknown): boolean =>
  errorCode(error) === '23505' && constraintOf(error) === 'audit_batch_pkey';

/** A record with this id is there already. */
export const isRecordThere = (error: unknown): boolean => errorCode(error) === '23505' && !isBatchTaken(error);

/** No partition takes the row: the month is not made yet. The other constraints that are checked have names. */
export const isMissingMonth = (error: unknown): boolean =>
  errorCode(error) === '23514' && constraintOf(error) === undefined;

/** The values themselves are refused, by the database or by a trigger of the host. */
export const isRefusal = (error: unknown): boolean => /^(22|23|54|P0)/.test(errorCode(error));

/** Not the driver's words: they quote values. */
export const refusalOf = (error: unknown): string => `The database refuses it (SQLSTATE ${errorCode(error)}).`;

function constraintOf(error: unknown): string | undefined {
  const driver = driverError(error);
  const named = typeof driver === 'object' && driver !== null && 'constraint' in driver;
  return named && typeof driver.constraint === 'string' ? driver.constraint : undefined;
}

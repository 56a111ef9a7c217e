/** Asks the database; the rows. */
export type Ask = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

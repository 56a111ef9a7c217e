/** Milliseconds in which a record about the evidence itself must be committed, before what it is about happens. */
export const DURABLY_WITHIN = 10_000;

/** Kinds of client-sent content a host may let through to the model; everything else is dropped and counted. */
export type ClientContent = 'state' | 'context';

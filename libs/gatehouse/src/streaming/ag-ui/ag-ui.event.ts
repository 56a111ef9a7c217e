import type { Event } from '@ag-ui/core';

type Spelled<E> = E extends { type: infer T extends string } ? Omit<E, 'type'> & { readonly type: `${T}` } : never;

/** An AG-UI 1.0 event with its `type` as plain text: the enum itself would be an import at runtime, of an optional peer. */
export type AgUiEvent = Spelled<Event>;

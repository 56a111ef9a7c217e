import type { MessageEvent } from '@nestjs/common';
import { from, type Observable } from 'rxjs';

/** What is said beside a run: each with an id of its own, before any frame. Who attaches with one gets the run from its beginning. */
export const unstored = (texts: readonly string[]): Observable<MessageEvent> =>
  from(texts.map((data, at) => ({ id: `0.${at + 1}`, data })));

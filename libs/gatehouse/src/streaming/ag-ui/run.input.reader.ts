import { Injectable } from '@nestjs/common';

import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { DroppedContent } from '../entry/dropped.content.js';
import { parseRunAgentInput, type RunInput } from './run.input.js';

/** Reads request bodies as the host allows. */
@Injectable()
export class RunInputReader {
  constructor(
    private readonly options: ResolvedOptions,
    private readonly dropped: DroppedContent,
  ) {}

  /** Throws a 400 problem that names the field. */
  read(body: unknown): RunInput {
    const input = parseRunAgentInput(body, this.options.streaming);
    this.dropped.note(input.dropped);
    return input;
  }
}

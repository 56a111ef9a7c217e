import { Injectable } from '@nestjs/common';

import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { DroppedContent } from '../entry/dropped.content.js';
import { parseChatInput, type ChatInput } from './chat.input.js';

/** Reads request bodies as the host allows. */
@Injectable()
export class ChatInputReader {
  constructor(
    private readonly options: ResolvedOptions,
    private readonly dropped: DroppedContent,
  ) {}

  /** Throws a 400 problem that names the field. */
  read(body: unknown): Omit<ChatInput, 'dropped'> {
    const { dropped, ...input } = parseChatInput(body, this.options.streaming);
    this.dropped.note(dropped);
    return input;
  }
}

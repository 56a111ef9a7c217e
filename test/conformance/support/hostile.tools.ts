import { Injectable } from '@nestjs/common';
import { Tool } from 'nest-gatehouse';
import { z } from 'zod';

/** How often a moody value was read, and how often it may be. */
export const moods = { reads: 0, patience: Infinity };

/** A value whose text can be read so many times, and never again. */
class Moody {
  constructor(text: string) {
    const get = () => {
      moods.reads += 1;
      if (moods.reads > moods.patience) throw new Error('not now');
      return text;
    };
    Object.defineProperty(this, 'text', { enumerable: true, get });
  }
}

@Injectable()
export class MoodyTools {
  @Tool({
    description: 'Takes a moody value',
    parameters: z.object({ text: z.string() }).transform(({ text }) => new Moody(text)),
  })
  mood(_args: Moody) {
    return 'mood';
  }
}

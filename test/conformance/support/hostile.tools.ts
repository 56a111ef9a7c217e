import { Injectable } from '@nestjs/common';
import { Tool } from 'nest-gatehouse';
import { z } from 'zod';

/** A value whose text can be read so many times, and never again. */
class Moody {
  constructor(text: string, moods: Moods) {
    const get = () => {
      moods.reads += 1;
      if (moods.reads > moods.patience) throw new Error('not now');
      return text;
    };
    Object.defineProperty(this, 'text', { enumerable: true, get });
  }
}

let current: Moods | undefined;

@Injectable()
export class Moods {
  reads = 0;
  patience = Infinity;

  constructor() {
    current = this;
  }

  @Tool({
    description: 'Takes a moody value',
    parameters: z.object({ text: z.string() }).transform(({ text }) => {
      if (current === undefined) throw new Error('There are no moods.');
      return new Moody(text, current);
    }),
  })
  mood(_args: Moody) {
    return 'mood';
  }
}

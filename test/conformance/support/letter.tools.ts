import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DestructiveTool, Tool } from 'nest-gatehouse';
import { z } from 'zod';

/** What a failing host method throws. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

const nested = { type: 'object', properties: { box: { type: 'object' } } } as const;

/** The schema of `checked` counts here; what it did stays done. */
const validations: number[] = [];
const counted = z.object({ n: z.coerce.number() }).superRefine(({ n }) => void validations.push(n));

/** The small tools of the scenarios. Each leaves a line when, and only when, its body runs. */
@Injectable()
export class LetterTools {
  readonly ran: string[] = [];
  /** What the methods received, in order. */
  readonly received: unknown[] = [];
  readonly validations = validations;

  constructor() {
    validations.length = 0;
  }

  @Tool('The first letter')
  async a(): Promise<string> {
    this.ran.push('a');
    await turn();
    return 'A';
  }

  @Tool('The second letter')
  b(): string {
    this.ran.push('b');
    return 'B';
  }

  @Tool('The third letter')
  c(): string {
    this.ran.push('c');
    return 'C';
  }

  @Tool({ description: 'Adds two numbers', parameters: z.object({ x: z.number(), y: z.number() }) })
  add({ x, y }: { x: number; y: number }): number {
    this.ran.push(`add ${x} ${y}`);
    return x + y;
  }

  @Tool({ description: 'Never allowed', parameters: { type: 'object' } })
  forbidden(args: object): number {
    this.ran.push(`forbidden ${JSON.stringify(args)}`);
    return 1;
  }

  @Tool('Fails')
  boom(): never {
    this.ran.push('boom');
    throw new ValueError('kaboom');
  }

  @Tool({ description: 'Its schema coerces and counts', parameters: counted })
  checked({ n }: { n: number }): string {
    this.ran.push(`checked ${n}`);
    return 'found';
  }

  @Tool({ description: 'Takes an object in an object', parameters: nested })
  open(args: { box: object }): string {
    this.ran.push('open');
    this.received.push(args);
    return 'opened';
  }

  @DestructiveTool({ description: 'The same, destructive', parameters: nested })
  wipe(args: { box: object }): string {
    this.ran.push('wipe');
    this.received.push(args);
    return 'wiped';
  }
}

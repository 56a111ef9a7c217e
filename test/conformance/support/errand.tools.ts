import { Injectable } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { RequireApproval, Tool } from 'nest-gatehouse';

export class ErrandDto {
  @IsInt()
  n!: number;
}

/** Two errands, and one that a person must allow. Each answers with its name and number; what ran is kept. */
@Injectable()
export class Errands {
  readonly ran: string[] = [];
  /** Called first, in `fetch` alone; may throw. */
  during: (n: number) => void = () => undefined;

  @Tool('Fetch something')
  fetch({ n }: ErrandDto) {
    this.ran.push(`fetch ${n}`);
    this.during(n);
    return `fetched ${n}`;
  }

  @Tool('Bring something')
  bring({ n }: ErrandDto) {
    this.ran.push(`bring ${n}`);
    return `brought ${n}`;
  }

  @Tool('Send something away')
  @RequireApproval()
  send({ n }: ErrandDto) {
    this.ran.push(`send ${n}`);
    return `sent ${n}`;
  }
}

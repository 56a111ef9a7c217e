import { Injectable } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { DestructiveTool, Tool } from 'nest-gatehouse';

class AmountDto {
  @IsInt()
  amount!: number;
}

/** A till: `look` needs nobody, `pay` waits for a person, `jam` fails. What was really done, in order, is `done`. */
@Injectable()
export class Till {
  readonly done: string[] = [];
  readonly jammed = Object.assign(new Error('kaboom'), { name: 'ValueError' });

  @Tool('Looks into the till')
  look({ amount }: AmountDto): string {
    this.done.push(`look ${amount}`);
    return 'found';
  }

  @DestructiveTool('Pays out')
  pay({ amount }: AmountDto): string {
    this.done.push(`pay ${amount}`);
    return `paid ${amount}`;
  }

  @Tool('Fails')
  jam({ amount }: AmountDto): never {
    this.done.push(`jam ${amount}`);
    throw this.jammed;
  }
}

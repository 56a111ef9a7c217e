import { IsString } from 'class-validator';
import { z } from 'zod';
import type { ToolCall } from '../contracts/tool.call.js';
import { RequireApproval } from './require-approval.decorator.js';
import { DestructiveTool, Tool } from './tool.decorator.js';
import { approvalOf, markedTools } from './tool.metadata.js';

class LookupDto {
  @IsString()
  id!: string;
}

class RefundDto {
  amount!: number;
}

const Search = z.object({ text: z.string(), limit: z.string().transform(Number) });
const raw = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;

/** Checked by the compiler: what fits compiles, what does not has an expected error on its line. */
class Fitting {
  @Tool('both') both(_args: LookupDto, _call: ToolCall) {}
  @Tool('args') args(_args: LookupDto) {}
  @Tool('none') none() {}
  @Tool('async') async later(_args: LookupDto): Promise<string> {
    return '';
  }
  @Tool({ description: 'output', parameters: Search }) output(
    _args: { text: string; limit: number },
    _call: ToolCall,
  ) {}
  @Tool({ description: 'part', parameters: Search }) part({ text }: Pick<z.infer<typeof Search>, 'text'>) {
    return text;
  }
  @Tool({ description: 'dto', parameters: LookupDto }) dto(_args: LookupDto) {}
  @Tool({ description: 'raw', parameters: raw }) raw(_args: { id: string }, _call: ToolCall) {}
  @Tool({ description: 'nothing taken', parameters: Search }) nothing() {}

  @DestructiveTool({ description: 'untyped', target: (a) => ({ type: 'order', id: String(a['id']) }) }) untyped(
    _args: LookupDto,
  ) {}
  @DestructiveTool({ description: 'typed', target: (a: LookupDto) => ({ type: 'order', id: a.id }) }) typed(
    _args: LookupDto,
  ) {}
  @Tool({ description: 'inferred', parameters: Search, target: (a) => ({ type: 'page', id: a.limit.toFixed() }) })
  inferred() {}

  @Tool('above') @RequireApproval() above(_args: LookupDto) {}
  @RequireApproval({ when: (a: { id: string }) => a.id !== '' }) @Tool('below') below(
    _args: LookupDto,
    _call: ToolCall,
  ) {}
}

class Unfitting {
  // @ts-expect-error the schema gives { text: string; limit: number }
  @Tool({ description: 'input', parameters: Search }) input(_args: { text: string; limit: string }) {}
  // @ts-expect-error the schema gives no `more`
  @Tool({ description: 'more', parameters: Search }) more(_args: { more: string }) {}
  // @ts-expect-error LookupDto is no RefundDto
  @Tool({ description: 'dto', parameters: LookupDto }) dto(_args: RefundDto) {}
  // @ts-expect-error the second parameter is the call
  @Tool('second') second(_args: LookupDto, _user: string) {}
  // @ts-expect-error nobody passes a third one
  @DestructiveTool('third') third(_args: LookupDto, _call: ToolCall, _more: string) {}
  // @ts-expect-error the policy reads what the method does not receive
  @Tool('policy') @RequireApproval({ when: (a: RefundDto) => a.amount > 100 }) policy(_args: LookupDto) {}
}

describe('the types of the decorators', () => {
  it('are what this file was compiled with; at run time every method is a tool', () => {
    expect(markedTools(Fitting).map(({ name }) => name)).toHaveLength(14);
    expect(markedTools(Unfitting).map(({ name }) => name)).toEqual([
      'input',
      'more',
      'dto',
      'second',
      'third',
      'policy',
    ]);
  });

  it('the order of @Tool and @RequireApproval does not matter', () => {
    expect([approvalOf(Fitting, 'above'), Object.keys(approvalOf(Fitting, 'below') ?? {})]).toEqual([{}, ['when']]);
  });
});

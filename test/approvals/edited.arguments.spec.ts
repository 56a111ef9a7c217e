import { BadRequestException, Inject, Injectable, Scope, UsePipes, type PipeTransform } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { IsNumber, IsString } from 'class-validator';
import {
  ApprovalEditError,
  Decide,
  DestructiveTool,
  Hook,
  RequireApproval,
  Tool,
  ToolCall,
  type JsonObject,
  type ToolHook,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';

import { ANN, boot, type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';

interface Payment {
  readonly to: string;
  readonly amount: number;
}

class PayDto implements Payment {
  @IsString() readonly to!: string;
  @IsNumber() readonly amount!: number;
}

@Injectable()
class LimitAndTrim implements PipeTransform<Payment> {
  transform(value: Payment): Payment {
    if (value.amount > 100) throw new BadRequestException('amount is over the limit');
    return Object.assign(Object.create(Object.getPrototypeOf(value) as object) as Payment, value, {
      to: value.to.trim(),
    });
  }
}

/** Knows the call that it is made for. */
@Injectable({ scope: Scope.REQUEST })
class SignedBy implements PipeTransform<Payment> {
  constructor(@Inject(REQUEST) private readonly current: ToolCall) {}

  transform(value: Payment): Payment {
    return { ...value, to: `${value.to} by ${this.current.user?.id} of ${this.current.toolName}` };
  }
}

const PAYMENT = z.object({ to: z.string(), amount: z.number() });
const ran: unknown[] = [];

@Injectable()
class Payments {
  @DestructiveTool('Pays by DTO')
  @RequireApproval({ editable: ['to', 'amount'] })
  @UsePipes(LimitAndTrim)
  payDto(args: PayDto): string {
    ran.push({ ...args });
    return 'paid';
  }

  @DestructiveTool({ description: 'Pays by schema', parameters: PAYMENT })
  @RequireApproval({ editable: ['to', 'amount'] })
  @UsePipes(LimitAndTrim)
  paySchema(args: Payment): string {
    ran.push({ ...args });
    return 'paid';
  }

  @DestructiveTool({ description: 'Pays by schema, and signs', parameters: PAYMENT })
  @RequireApproval({ editable: ['to', 'amount'] })
  @UsePipes(SignedBy)
  paySigned(args: Payment): string {
    ran.push({ ...args });
    return 'paid';
  }
}

let app: GovernedApp;
beforeEach(() => void ran.splice(0));
afterEach(() => app.close());

const suspended = async (tool: string, args: JsonObject) => {
  const { handle } = await app.play([[call(tool, args)], [says('ok')]]);
  const [approval] = (await app.approvals.list({ runId: handle.runId })).items;
  if (approval === undefined) throw new Error('Nothing waits.');
  const edit = (editedArgs: JsonObject) =>
    app.resumed(handle.runId, [{ approvalId: approval.id, approved: true, editedArgs }]);
  const refusal = (editedArgs: JsonObject) =>
    app.approvals.decide(approval.id, { approved: true, by: ANN, editedArgs }).then(
      () => 'approved',
      (error: unknown) => (error instanceof ApprovalEditError ? error.problems : error),
    );
  return { approval, edit, refusal };
};

describe.each(STORES)('edited arguments pass the pipes of the tool, in %s', (store) => {
  beforeEach(async () => {
    app = await bootOn(store, { providers: [Payments, LimitAndTrim, SignedBy] });
  });

  it.each(['payDto', 'paySchema'])('%s runs with what they made of the edit', async (tool) => {
    const { approval, edit } = await suspended(tool, { to: ' bob ', amount: 5 });
    expect(approval.args).toEqual({ to: 'bob', amount: 5 });
    const { outcome } = await edit({ to: '  eve  ', amount: 50 });
    expect([outcome.status, ran]).toEqual(['completed', [{ to: 'eve', amount: 50 }]]);
    expect((await app.approvals.get(approval.id)).editedArgs).toEqual({ to: 'eve', amount: 50 });
  });

  it.each(['payDto', 'paySchema'])('%s is not approved with what they refuse', async (tool) => {
    const { approval, refusal } = await suspended(tool, { to: ' bob ', amount: 5 });
    expect(await refusal({ to: 'eve', amount: 5000 })).toEqual(['amount is over the limit']);
    expect([(await app.approvals.get(approval.id)).status, ran]).toEqual(['pending', []]);
  });

  it('a pipe that is made for one call gets the call it is about', async () => {
    const { edit } = await suspended('paySigned', { to: 'bob', amount: 5 });
    const { outcome } = await edit({ to: 'eve', amount: 50 });
    expect([outcome.status, ran]).toEqual(['completed', [{ to: 'eve by ann of paySigned', amount: 50 }]]);
  });
});

describe('a redirect to what is asked already', () => {
  it('is none, also where the pipes make the same of it', async () => {
    @Injectable()
    class Mail {
      @Tool({ description: 'Sends', parameters: PAYMENT })
      @UsePipes(LimitAndTrim)
      send(args: Payment): string {
        ran.push(args);
        return 'sent';
      }
    }
    @Hook()
    class Same implements ToolHook {
      beforeTool() {
        return Decide.redirect({ args: { to: ' bob ', amount: 5 } }, 'the same');
      }
    }
    app = await boot({ providers: [Mail, Same, LimitAndTrim] });
    const { handle, outcome } = await app.play([[call('send', { to: ' bob ', amount: 5 })], [says('ok')]]);
    expect([outcome.status, await app.statuses(handle.runId)]).toEqual(['completed', ['send completed']]);
    expect(ran).toEqual([{ to: 'bob', amount: 5 }]);
  });
});

const CARD = z.object({ holder: z.string(), pan: z.string() });
const ORDER = z.object({
  card: CARD,
  cards: z.array(CARD).default([]),
  note: z.string().default(''),
  by: z.record(z.string(), z.string()).default({}),
});

@Injectable()
class Orders {
  @DestructiveTool({ description: 'Orders', parameters: ORDER })
  @RequireApproval({ editable: ['card', 'cards', 'note', 'by'] })
  order(args: z.infer<typeof ORDER>): string {
    ran.push(args);
    return 'ordered';
  }
}

describe.each(STORES)('what is hidden inside an edited field, in %s', (store) => {
  const options: Boot['options'] = { redaction: { keys: ['pan'], valuePatterns: [/\w+@\w+\.\w+/] } };
  const PROPOSED = {
    card: { holder: 'Ann', pan: '4111' },
    cards: [
      { holder: 'Bob', pan: '5111' },
      { holder: 'Cleo', pan: '6111' },
    ],
    note: 'write to ann@acme.test today',
    by: { 'ann@acme.test': 'a', 'bob@acme.test': 'b', plain: 'c' },
  };
  const SHOWN = {
    card: { holder: 'Ann', pan: '[redacted]' },
    cards: [
      { holder: 'Bob', pan: '[redacted]' },
      { holder: 'Cleo', pan: '[redacted]' },
    ],
    note: 'write to [redacted] today',
    by: { '[redacted]': 'a', '[redacted]#2': 'b', plain: 'c' },
  };
  const LEFT = 'holds what stands for a hidden value: leave it where it was shown, or write what is meant';

  beforeEach(async () => {
    app = await bootOn(store, { providers: [Orders], options });
  });

  it('stays what it is where it is left as it was shown', async () => {
    const { approval, edit } = await suspended('order', PROPOSED);
    expect(approval.args).toEqual(SHOWN);
    const by = { '[redacted]': 'a', '[redacted]#2': 'B', plain: 'c' };
    const cards = [SHOWN.cards[0] ?? {}, { holder: 'Dora', pan: '7111' }];
    const { outcome } = await edit({ ...SHOWN, card: { holder: 'Bea', pan: '[redacted]' }, cards, by });
    expect([outcome.status, ran]).toEqual([
      'completed',
      [
        {
          ...PROPOSED,
          card: { holder: 'Bea', pan: '4111' },
          cards: [
            { holder: 'Bob', pan: '5111' },
            { holder: 'Dora', pan: '7111' },
          ],
          by: { 'ann@acme.test': 'a', 'bob@acme.test': 'B', plain: 'c' },
        },
      ],
    ]);
  });

  it('may be written anew', async () => {
    const { edit } = await suspended('order', PROPOSED);
    await edit({ ...SHOWN, card: { holder: 'Ann', pan: '4222' } });
    expect(ran).toEqual([{ ...PROPOSED, card: { holder: 'Ann', pan: '4222' } }]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['a part of a text', { note: 'write to [redacted] tomorrow' }, ['/note']],
    ['another field', { note: '[redacted]' }, ['/note']],
    ['another member', { card: { holder: '[redacted]', pan: '4222' } }, ['/card/holder']],
    ['a new member', { by: { ...SHOWN.by, new: '[redacted]' } }, ['/by/new']],
    ['a list that lost an item', { cards: SHOWN.cards.slice(1) }, ['/cards/0/pan']],
    ['a list in another order', { cards: SHOWN.cards.toReversed() }, ['/cards/0/pan', '/cards/1/pan']],
  ])('nobody can tell what it means in %s', async (_, edited, places) => {
    const { approval, refusal } = await suspended('order', PROPOSED);
    expect(await refusal({ ...SHOWN, ...edited })).toEqual(places.map((place) => `${place} ${LEFT}`));
    expect([(await app.approvals.get(approval.id)).status, ran]).toEqual(['pending', []]);
  });
});

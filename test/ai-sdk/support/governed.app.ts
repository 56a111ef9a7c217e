import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { LanguageModel } from 'ai';
import { IsInt } from 'class-validator';
import {
  Agent,
  AgentRunner,
  DestructiveTool,
  GatehouseModule,
  Tool,
  type RunEvent,
  type RunHandle,
} from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';

class OrderDto {
  @IsInt()
  order!: number;
}

/** Remembers what its methods were started with. */
@Injectable()
export class Orders {
  readonly started: string[] = [];

  @Tool({ description: 'Look up one order', parameters: OrderDto })
  lookup({ order }: OrderDto): string {
    this.started.push(`lookup ${order}`);
    return `order ${order} has shipped`;
  }

  @DestructiveTool({ description: 'Refund one order', parameters: OrderDto })
  refund({ order }: OrderDto): string {
    this.started.push(`refund ${order}`);
    return `order ${order} was refunded`;
  }
}

/** The whole library in memory, with one agent on a given model. */
export const governedApp = async (model: unknown) => {
  @Agent({ name: 'desk', tools: ['lookup', 'refund'] })
  class Desk extends ModelAgent {
    override model = model as LanguageModel;
    override settings = { maxRetries: 0 };
  }

  @Module({ imports: [GatehouseModule.forRoot({ guard: { enabled: true } })], providers: [Orders, Desk] })
  class DeskModule {}

  const app = await Test.createTestingModule({ imports: [DeskModule] }).compile();
  await app.init();
  return { app, orders: app.get(Orders), runner: app.get(AgentRunner) };
};

/** The events of a run's segment, without what differs from run to run. */
export const eventNames = async (run: RunHandle): Promise<string[]> => {
  const names: string[] = [];
  for await (const event of run.events) names.push(named(event));
  return names;
};

const named = (event: RunEvent): string => {
  if ('delta' in event) return `${event.type} ${event.delta}`;
  if (event.type === 'tool.result') return `${event.type} ${event.outcome}`;
  return event.type;
};

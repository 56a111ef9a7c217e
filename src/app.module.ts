import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GatehouseModule, type SealOptions } from 'nest-gatehouse';
import { AgentModule } from './agent/agent.module.js';
import type { RunSettings } from './agent/run.settings.js';
import { runQueue } from './agent/run.queue.js';
import type { DeskModel } from './agent/desk.model.js';
import { chooseModel } from './agent/model.choice.js';
import { SLOW_CARRIER_MS } from './desk/carrier/carrier.delay.js';
import { deskDatabase } from './desk/database/desk.database.js';
import { DeskModule } from './desk/desk.module.js';
import { HealthController } from './health/health.controller.js';

/** What differs between starts. */
export interface AppOptions {
  readonly databaseUrl: string;
  /** Default: what the environment names, else the scripted one. */
  readonly model?: DeskModel;
  /** How long the carrier takes to fail. Default 2000 ms. */
  readonly carrierDelayMs?: number;
  /** Default: executed here, and nothing is queued. */
  readonly runs?: RunSettings;
  /** How the evidence is sealed. Default: with `GATEHOUSE_SEAL_KEY`, where it is set. */
  readonly seal?: SealOptions;
  /** A worker executes runs and opens no doors. Default `server`. */
  readonly role?: 'server' | 'worker';
}

/** The password in a connection string, wherever it turns up: drivers put them into error texts, and those go into the evidence. */
const PASSWORD_IN_URL = /(?<=:\/\/[^\s:/@]{1,64}:)[^\s@/]{1,256}(?=@)/;

const HERE: RunSettings = { execute: 'here', concurrency: 10 };

/** The reference app: a support desk with an agent. */
@Module({})
export class AppModule {
  static forRoot({
    databaseUrl,
    model,
    carrierDelayMs = SLOW_CARRIER_MS,
    runs = HERE,
    role = 'server',
    seal = {},
  }: AppOptions): DynamicModule {
    const execute = role === 'worker' ? 'here' : runs.execute;
    const queues = role === 'worker' || execute === 'dispatched';
    const work = role === 'worker' ? { work: { concurrency: runs.concurrency } } : {};
    return {
      module: AppModule,
      imports: [
        TypeOrmModule.forRoot(deskDatabase(databaseUrl)),
        GatehouseModule.forRoot({
          persistence: {},
          guard: { enabled: true, exempt: ['send_receipt'] },
          redaction: { valuePatterns: [PASSWORD_IN_URL] },
          audit: { seal },
          runs: { execute, ...(runs.lease === undefined ? {} : { lease: runs.lease }) },
        }),
        ...(queues ? runQueue(databaseUrl, work) : []),
        DeskModule.forRoot({ carrierDelayMs }),
        AgentModule.forRoot(model ?? chooseModel(), role),
      ],
      controllers: role === 'worker' ? [] : [HealthController],
    };
  }
}

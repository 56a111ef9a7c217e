import { type DynamicModule, Module } from '@nestjs/common';
import { AccessPolicy } from 'nest-gatehouse';
import { DemoBearerGuard } from '../auth/demo-bearer.guard.js';
import { DeskAccessPolicy } from '../auth/desk.access.policy.js';
import { DeskAgent } from './desk.agent.js';
import {
  DeskApprovalController,
  DeskAuditController,
  DeskChatController,
  DeskRunController,
} from './desk.controllers.js';
import { DESK_MODEL, type DeskModel } from './desk.model.js';

const DOORS = [DeskRunController, DeskChatController, DeskApprovalController, DeskAuditController];

/** The agent and its doors; a worker has none. */
@Module({})
export class AgentModule {
  static forRoot(model: DeskModel, role: 'server' | 'worker'): DynamicModule {
    return {
      module: AgentModule,
      controllers: role === 'worker' ? [] : DOORS,
      providers: [
        DeskAgent,
        DemoBearerGuard,
        { provide: AccessPolicy, useClass: DeskAccessPolicy },
        { provide: DESK_MODEL, useValue: model },
      ],
    };
  }
}

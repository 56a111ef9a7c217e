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

/** The agent and its doors. */
@Module({})
export class AgentModule {
  static forRoot(model: DeskModel): DynamicModule {
    return {
      module: AgentModule,
      controllers: [DeskRunController, DeskChatController, DeskApprovalController, DeskAuditController],
      providers: [
        DeskAgent,
        DemoBearerGuard,
        { provide: AccessPolicy, useClass: DeskAccessPolicy },
        { provide: DESK_MODEL, useValue: model },
      ],
    };
  }
}

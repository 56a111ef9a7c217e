import { Controller, UseGuards } from '@nestjs/common';
import { ApprovalController, AuditController, ChatController, RunController } from 'nest-gatehouse';
import { DemoBearerGuard } from '../auth/demo-bearer.guard.js';

/** `POST /agent/runs` and what belongs to it. */
@UseGuards(DemoBearerGuard)
@Controller('agent')
export class DeskRunController extends RunController {}

/** `POST /agent/chat`: the same runs for `useChat`. */
@UseGuards(DemoBearerGuard)
@Controller('agent')
export class DeskChatController extends ChatController {}

/** `GET /agent/approvals` and the decision. */
@UseGuards(DemoBearerGuard)
@Controller('agent')
export class DeskApprovalController extends ApprovalController {}

/** `GET /agent/audit/…`. */
@UseGuards(DemoBearerGuard)
@Controller('agent')
export class DeskAuditController extends AuditController {}

import type { Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApprovalSeals } from '../approvals/approval.seals.js';
import { NoticeDelivery } from '../approvals/notices/notice.delivery.js';
import { ApprovalService } from '../approvals/approval.service.js';
import { DefaultToolGuard } from '../approvals/default.tool.guard.js';
import { AuditEventFactory } from '../audit/audit.event.factory.js';
import { AuditTrail } from '../audit/audit.trail.js';
import { EvidenceHealth } from '../audit/evidence.health.js';
import { EvidenceWriter } from '../audit/evidence.writer.js';
import { ExecutionRecorder } from '../audit/execution.recorder.js';
import { NoTraces } from '../audit/no.traces.js';
import { PostgresAuditLogger } from '../audit/postgres.audit.logger.js';
import { EvidenceExport } from '../audit/export/evidence.export.js';
import { IntentRecords } from '../audit/intents/intent.records.js';
import { IntentResolver } from '../audit/intents/intent.resolver.js';
import { ReadingRecords } from '../audit/reading.records.js';
import { Erasure } from '../audit/keeping/erasure.js';
import { LegalHolds } from '../audit/keeping/legal.holds.js';
import { MonthKeeper } from '../audit/keeping/month.keeper.js';
import { Retention } from '../audit/keeping/retention.js';
import { EvidenceVerifier } from '../audit/verify/evidence.verifier.js';
import { SealKeys } from '../audit/seal/seal.keys.js';
import { Sealer } from '../audit/seal/sealer.js';
import { ArgumentValidator } from '../contracts/ports/argument.validator.js';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import { ToolFailurePolicy } from '../contracts/ports/tool.failure.policy.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { ToolGuard } from '../contracts/ports/tool.guard.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { AuditLogger } from '../contracts/roles.js';
import { AUDIT_LOGGERS } from '../contracts/tokens.js';
import { DefaultToolFailurePolicy } from '../failure/default.failure.policy.js';
import { AdmissionStage } from '../operations/admission.stage.js';
import { ApprovalRenewal } from '../operations/approval.renewal.js';
import { DeferralStage } from '../operations/deferral.stage.js';
import { Core } from '../operations/core.js';
import { ExecutionStage } from '../operations/execution.stage.js';
import { FailureStage } from '../operations/failure.stage.js';
import { Finisher } from '../operations/finisher.js';
import { GateStage } from '../operations/gate.stage.js';
import { HookStage } from '../operations/hook.stage.js';
import { InspectionStage } from '../operations/inspection.stage.js';
import { Lineage } from '../operations/lineage.js';
import { MethodRunner } from '../operations/method.runner.js';
import { OperationFactory } from '../operations/operation.factory.js';
import { OperationPipeline } from '../operations/operation.pipeline.js';
import { OperationRecords } from '../operations/operation.records.js';
import { OutputContracts } from '../operations/output/output.contracts.js';
import { OutputPipeline } from '../operations/output/output.pipeline.js';
import { ResponsePipeline } from '../operations/response.pipeline.js';
import { RoleCatalog } from '../operations/roles/role.catalog.js';
import { RoleExplorer } from '../operations/roles/role.explorer.js';
import { ToolArgumentValidator } from '../operations/tool.argument.validator.js';
import { ValidationStage } from '../operations/validation.stage.js';
import { CancelNote } from '../runs/cancel.note.js';
import { AgentRegistry } from '../runs/agent.registry.js';
import { AgentRunner } from '../runs/agent.runner.js';
import { Announcements } from '../runs/announcements.js';
import { CommitStage } from '../runs/commit.stage.js';
import { EventRetention } from '../runs/event.retention.js';
import { ExternalResults } from '../runs/external.results.js';
import { ImplicitRuns } from '../runs/implicit.runs.js';
import { KeptFailures } from '../runs/kept.failures.js';
import { LocalDispatcher } from '../runs/local.dispatcher.js';
import { PersistencePatience } from '../runs/persistence.patience.js';
import { RecentFrames } from '../runs/recent.frames.js';
import { WritePace } from '../runs/write.pace.js';
import { ResponseOutput } from '../runs/response.output.js';
import { RunDrain } from '../runs/run.drain.js';
import { RunDriver } from '../runs/run.driver.js';
import { RunEnding } from '../runs/run.ending.js';
import { RunFeed } from '../runs/run.feed.js';
import { RunHandover } from '../runs/run.handover.js';
import { RunIntake } from '../runs/run.intake.js';
import { RunLease } from '../runs/run.lease.js';
import { RunOpener } from '../runs/run.opener.js';
import { RunPlan } from '../runs/run.plan.js';
import { RunSweeper } from '../runs/run.sweeper.js';
import { WaitingAgain } from '../runs/waiting.again.js';
import { RunTable } from '../runs/run.table.js';
import { ScopeFactory } from '../runs/scope.factory.js';
import { StepRunner } from '../runs/step.runner.js';
import { ToldOutcome } from '../runs/told.outcome.js';
import { ToolExecutor } from '../runs/tool.executor.js';
import { streamingExports, streamingProviders } from '../streaming/streaming.providers.js';
import { ToolExplorer } from '../tools/tool.explorer.js';
import { ToolInvoker } from '../tools/tool.invoker.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import { BootChecks } from './boot.checks.js';
import { BootRecord } from './boot.record.js';
import { Notifiers } from './notifiers.js';
import { replaceable } from './replaceable.js';

/** The loggers a host names, or the default: Postgres with persistence, nothing without. */
const auditLoggers: Provider = {
  provide: AUDIT_LOGGERS,
  inject: [ResolvedOptions, EvidenceWriter, ModuleRef],
  useFactory: async (
    options: ResolvedOptions,
    writer: EvidenceWriter,
    modules: ModuleRef,
  ): Promise<readonly AuditLogger[]> => {
    const { enabled, loggers } = options.audit;
    if (!enabled) return [];
    if (loggers === undefined) return options.persistence === undefined ? [] : [new PostgresAuditLogger(writer)];
    return Promise.all(loggers.map((type) => instanceOf(type, modules)));
  },
};

const instanceOf = async (type: Type<AuditLogger>, modules: ModuleRef): Promise<AuditLogger> => {
  try {
    return await modules.get(type, { strict: false });
  } catch {
    return modules.create(type);
  }
};

const roles: Provider[] = [
  replaceable(ToolGuard, DefaultToolGuard),
  replaceable(ToolFailurePolicy, DefaultToolFailurePolicy),
  replaceable(RunDispatcher, LocalDispatcher),
  replaceable(TraceContext, NoTraces),
  { provide: ArgumentValidator, useClass: ToolArgumentValidator },
  ToolExplorer,
  ToolInvoker,
  ToolRegistry,
  RoleExplorer,
  RoleCatalog,
  AuditEventFactory,
  ExecutionRecorder,
  EvidenceWriter,
  EvidenceHealth,
  SealKeys,
  Sealer,
  MonthKeeper,
  EvidenceExport,
  ReadingRecords,
  IntentRecords,
  IntentResolver,
  EvidenceVerifier,
  LegalHolds,
  Retention,
  Erasure,
  AuditTrail,
  ApprovalSeals,
  ApprovalService,
  NoticeDelivery,
  Notifiers,
  auditLoggers,
];

const pipeline: Provider[] = [
  Lineage,
  OperationFactory,
  OperationRecords,
  OperationPipeline,
  OutputContracts,
  OutputPipeline,
  ResponsePipeline,
  AdmissionStage,
  ValidationStage,
  HookStage,
  InspectionStage,
  GateStage,
  ExecutionStage,
  Core,
  MethodRunner,
  FailureStage,
  ApprovalRenewal,
  DeferralStage,
  Finisher,
];

const runs: Provider[] = [
  AgentRegistry,
  AgentRunner,
  Announcements,
  CommitStage,
  EventRetention,
  ExternalResults,
  ImplicitRuns,
  KeptFailures,
  PersistencePatience,
  RecentFrames,
  WritePace,
  ResponseOutput,
  RunDrain,
  RunDriver,
  RunEnding,
  RunFeed,
  RunHandover,
  RunIntake,
  RunLease,
  RunOpener,
  RunPlan,
  RunSweeper,
  WaitingAgain,
  CancelNote,
  RunTable,
  ScopeFactory,
  StepRunner,
  ToldOutcome,
  ToolExecutor,
];

/** Every room's providers, from the roles up. */
export const gatehouseProviders: Provider[] = [
  ...roles,
  ...pipeline,
  ...runs,
  ...streamingProviders,
  BootChecks,
  BootRecord,
];

/** What an application may inject. */
export const exportedProviders = [
  AgentRunner,
  ToolExecutor,
  ToolRegistry,
  ApprovalService,
  AuditTrail,
  ReadingRecords,
  EvidenceHealth,
  AgentRegistry,
  RunFeed,
  ...streamingExports,
];

export { GatehouseModule } from './gatehouse.module.js';
export type { GatehouseModuleAsyncOptions } from './gatehouse.module-definition.js';
export type {
  ApprovalOptions,
  AuditOptions,
  ErrorClass,
  FailureOptions,
  GatehouseModuleOptions,
  GuardOptions,
  PersistenceOptions,
  RunsOptions,
  SealOptions,
  StreamingOptions,
} from './contracts/options.js';
export type { RedactionOptions } from './contracts/redaction.options.js';
export type { ClientContent } from './contracts/client.content.js';
export type { RunLimits } from './contracts/limits.js';
export { FINAL_OUTPUT } from './contracts/output.js';
export type { OutputSpec } from './contracts/output.js';

// Tools
export { DestructiveTool, Tool } from './tools/tool.decorator.js';
export { RequireApproval } from './tools/require-approval.decorator.js';
export { isToolCall } from './tools/is-tool-call.js';
export { ToolRegistry } from './tools/tool.registry.js';
export { ToolCall } from './contracts/tool.call.js';
export type { CallApproval } from './contracts/tool.call.js';
export type { ToolDefinition, ToolGate, UnjudgedTool } from './contracts/tool.definition.js';
export type { ParameterSource, ToolOptions, ToolTarget } from './contracts/tool.options.js';
export type { SourceTool, ToolSource } from './contracts/tool.source.js';
export type { ApprovalPolicy, ApproverPolicy } from './contracts/approval.policy.js';
export { DESTRUCTIVE_METADATA_KEY } from './contracts/tokens.js';

// Calling and running
export { ToolExecutor } from './runs/tool.executor.js';
export type { CallOptions } from './runs/tool.executor.js';
export { Agent } from './runs/agent.decorator.js';
export type { AgentOptions } from './runs/agent.decorator.js';
export { AgentRegistry } from './runs/agent.registry.js';
export { AgentRunner } from './runs/agent.runner.js';
export { RunFeed } from './runs/run.feed.js';
export type { FollowOptions } from './runs/run.feed.js';
export type { DeferredCall, ExternalResult } from './contracts/deferred.call.js';
export type {
  ResponseFacts,
  ResumeRequest,
  RoleRef,
  RunCandidate,
  RunContext,
  RunExecutor,
  RunHandle,
  RunOutcome,
  RunRequest,
} from './contracts/run.js';
export type {
  AnnouncedApproval,
  AnnouncedDeferral,
  ChildStatus,
  EmittedEvent,
  RunEvent,
  RunFrame,
  StatePatchOperation,
} from './contracts/run.events.js';
export type { RunUsage, SegmentUsage } from './contracts/usage.js';
export type { MessageFile } from './contracts/message.file.js';
export type { MessageCall, MessageResult, ThreadMessage, UserMessage } from './contracts/thread.message.js';
export type {
  OperationFinished,
  OperationRejection,
  OperationRequest,
  ProposedCall,
  ShadowedDecision,
  ToolCallResult,
} from './contracts/operation.js';
export type {
  ApprovalStatus,
  DecidedBy,
  OperationStatus,
  RunStage,
  RunStatus,
  TerminalStatus,
  ToolOutcome,
} from './contracts/statuses.js';

// Deciding
export { Decide } from './contracts/decisions/decide.js';
export type {
  Abortion,
  Acceptance,
  CommitDecision,
  Continuation,
  HookDecision,
  OperationDecision,
  Redirect,
  Rejection,
  Rewrite,
  Skip,
} from './contracts/decisions/decisions.js';
export { Inspector } from './inspection/inspector.decorator.js';
export { Hook } from './hooks/hook.decorator.js';
export { HookRunner } from './hooks/hook.runner.js';
export { EventPublishHook } from './hooks/observers/event.publish.hook.js';
export type { EventPublishOptions } from './hooks/observers/event.publish.hook.js';
export type { EventPublisher } from './hooks/observers/event.publisher.js';
export type { ToolAfterEvent, ToolBeforeEvent, ToolErrorEvent, ToolEvent } from './hooks/observers/tool.event.js';
export { WatchdogHook } from './hooks/observers/watchdog.hook.js';
export type { WatchdogOptions } from './hooks/observers/watchdog.hook.js';
export type { WatchdogAction, WatchdogPolicy } from './hooks/observers/watchdog.policy.js';
export { LoopDetector } from './hooks/observers/loop.detector.js';
export type { LoopDetectorOptions } from './hooks/observers/loop.detector.js';
export { StallDetector } from './hooks/observers/stall.detector.js';
export type { StallDetectorOptions } from './hooks/observers/stall.detector.js';
export type { Detection, Detector, WatchedCall } from './hooks/observers/detection.js';
export { Middleware } from './middleware/middleware.decorator.js';
export { Listener } from './operations/roles/listener.decorator.js';
export type {
  AuditLogger,
  HookCall,
  OperationInspector,
  OperationListener,
  RunCommit,
  ToolHook,
  ToolMiddleware,
} from './contracts/roles.js';

// Flows: small compositions of runs and hooks
export { compoundTool } from './flows/compound.tool.js';
export type {
  CompoundArguments,
  CompoundResult,
  CompoundTool,
  CompoundToolOptions,
  ToolCaller,
} from './flows/compound.tool.js';
export { flowAgent } from './flows/flow.agent.js';
export type { FlowAgent, FlowRunRequest } from './flows/flow.agent.js';
export type { FlowHooks } from './flows/hooked.call.js';
export { runSubtask } from './flows/run.subtask.js';
export type { SubtaskOptions, SubtaskResult } from './flows/run.subtask.js';
export { runWithRetry } from './flows/run.with.retry.js';
export type { RetryFailure, RetryOptions } from './flows/run.with.retry.js';

// Approvals
export { ApprovalService } from './approvals/approval.service.js';
export type { ApprovalResolution, DecidedTogether } from './approvals/approval.service.js';
export { ApprovalNotifier } from './approvals/notices/approval.notifier.decorator.js';
export { WebhookNotifier } from './approvals/notices/webhook.notifier.js';
export type { WebhookOptions } from './approvals/notices/webhook.notifier.js';
export { isWebhookSignature } from './approvals/notices/webhook.signature.js';
export type { ApprovalListener, ApprovalNotice } from './contracts/approval.listener.js';
export type { ApprovalAnswer, ApprovalRequest, ApprovalVote, Decision } from './contracts/approval.js';

// Evidence
export { AuditTrail } from './audit/audit.trail.js';
export { EvidenceHealth } from './audit/evidence.health.js';
export { LoggingAuditLogger } from './audit/logging.audit.logger.js';
export { NullAuditLogger } from './audit/null.audit.logger.js';
export { PostgresAuditLogger } from './audit/postgres.audit.logger.js';
export type { ApprovalEvent, ApprovalEventKind } from './contracts/approval.event.js';
export type { AuditEvent } from './contracts/audit.event.js';
export type { EvidenceHealthReport, EvidenceMetrics, EvidenceStatus } from './contracts/evidence.health.js';
export type { OperationRecord } from './contracts/operation.record.js';
export type { TerminalRecord } from './contracts/terminal.record.js';
export type { Page, PageQuery } from './contracts/page.js';
export type {
  ApprovalEventQuery,
  ApprovalEvidenceQuery,
  EvidenceQuery,
  ExecutionQuery,
  IntentQuery,
  OperationQuery,
  TerminalEntry,
  TerminalQuery,
  TimelineEntry,
  TimelineKind,
} from './contracts/ports/evidence.store.js';

export type { IntentResolution, OpenIntent } from './contracts/intent.js';

// Handing evidence out, keeping it, letting it go
export type { ExportFormat } from './audit/export/export.format.js';
export type { ExportQuery } from './audit/export/evidence.export.js';
export type { LogQuery } from './contracts/ports/log.source.js';
export type { LedgerKind } from './contracts/ledger.js';
export { RETENTION_PRESETS } from './audit/keeping/retention.periods.js';
export type { RetentionPeriod } from './audit/keeping/retention.periods.js';
export type { RetainedMonth, RetentionRequest } from './audit/keeping/retention.js';
export type { ErasureRequest } from './audit/keeping/erasure.js';
export type { ErasureCount, ErasureSubject } from './contracts/ports/evidence.keeping.js';
export type { LegalHolds } from './audit/keeping/legal.holds.js';
export type { LegalHold, NewLegalHold } from './contracts/legal.hold.js';

// The seal: who signs, where checkpoints are kept, what verifies them
export { Signer } from './contracts/ports/signer.js';
export { Anchor } from './contracts/ports/anchor.js';
export { FileAnchor } from './audit/seal/file.anchor.js';
export { HttpsAnchor } from './audit/seal/https.anchor.js';
export type { HttpsAnchorOptions } from './audit/seal/https.anchor.js';
export { generateEd25519Key } from './values/transparency/ed25519.keys.js';
export type { NewEd25519Key } from './values/transparency/ed25519.keys.js';
export { verifyProof } from './audit/prove/verify.proof.js';
export type { ProvedRecord, VerifyProofOptions } from './audit/prove/verify.proof.js';
export type { ProofBundle } from './audit/prove/proof.bundle.js';
export type { ProveOptions } from './audit/prove/prove.record.js';
export { verifiedState } from './audit/verify/verified.state.js';
export type { VerifiedState } from './audit/verify/verified.state.js';
export type { AnchoredNote, VerifyOptions, VerifyProgress } from './audit/verify/verify.options.js';
export type { Verification } from './audit/verify/verification.js';
export type {
  EvidencePlace,
  Fault,
  FaultKind,
  Shortfall,
  ShortfallKind,
  VerifiedMonth,
  VerifyLevel,
  VerifyOutcome,
  VerifyReport,
} from './audit/verify/verify.report.js';

// Over HTTP
export { ApprovalController } from './streaming/approval.controller.js';
export { AuditController } from './streaming/audit.controller.js';
export { ChatController } from './streaming/chat.controller.js';
export { RunController } from './streaming/run.controller.js';
export { ProblemFilter } from './streaming/http/problem.filter.js';
export { RunStreams } from './streaming/run.streams.js';

// What an application may replace, by DI token
export { AccessPolicy } from './contracts/ports/access.policy.js';
export type { AccessAction, AccessResource } from './contracts/ports/access.policy.js';
export { Clock } from './contracts/clock.js';
export { RunDispatcher } from './contracts/ports/run.dispatcher.js';
export { ToolFailurePolicy } from './contracts/ports/tool.failure.policy.js';
export { ToolGuard } from './contracts/ports/tool.guard.js';
export { TraceContext } from './contracts/ports/trace.context.js';
export type { TracedCall, TracedEnd, TracedRun, TraceIds } from './contracts/ports/trace.context.js';
export { Wakeup } from './contracts/ports/wakeup.js';

// Values and errors
export type { Awaitable } from './contracts/awaitable.js';
export type { Duration } from './contracts/duration.js';
export type { JsonObject, JsonPrimitive, JsonSchema, JsonValue } from './contracts/json.js';
export type { Principal } from './contracts/principal.js';
export * from './contracts/errors/index.js';

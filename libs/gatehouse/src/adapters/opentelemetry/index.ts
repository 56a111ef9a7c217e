export { OpenTelemetryTraces } from './open.telemetry.traces.js';
export { GatehouseTracingModule } from './tracing.module.js';
export type { TracingOptions } from './tracing.options.js';

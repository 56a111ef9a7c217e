import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { TraceContext } from '../../contracts/ports/trace.context.js';
import { OpenTelemetryTraces } from './open.telemetry.traces.js';
import type { TracingOptions } from './tracing.options.js';

/**
 * Spans for runs and calls by OpenTelemetry's conventions for generative AI, and their ids in the records. Import it beside `GatehouseModule`; the
 * SDK and its exporter are the application's own, and without one nothing is traced.
 *
 * @example
 * ```ts
 * imports: [GatehouseModule.forRoot({ persistence: {} }), GatehouseTracingModule.forRoot()]
 * ```
 */
@Module({})
export class GatehouseTracingModule {
  /** Throws `ConfigurationError` for a `content` that is neither. */
  static forRoot({ content = 'none' }: TracingOptions = {}): DynamicModule {
    if (content !== 'none' && content !== 'inline') {
      throw new ConfigurationError(
        `GatehouseTracingModule: content is '${String(content)}': write 'none' or 'inline'.`,
      );
    }
    const useFactory = () => new OpenTelemetryTraces(content === 'inline');
    return { module: GatehouseTracingModule, providers: [{ provide: TraceContext, useFactory }] };
  }
}

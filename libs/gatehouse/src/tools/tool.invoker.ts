import { Injectable } from '@nestjs/common';
import { ApplicationConfig, ContextIdFactory, ExternalContextCreator, ModuleRef, type ContextId } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Awaitable } from '../contracts/awaitable.js';
import type { ToolCall } from '../contracts/tool.call.js';
import { checkEnhancers } from './nest/enhancer.checks.js';
import { globalEnhancers, globalNames } from './nest/global.enhancers.js';
import { withNamedGuards } from './nest/named.guards.js';
import { isStaticProvider } from './nest/provider.class.js';
import { ToolContexts } from './nest/tool.contexts.js';
import type { ToolInvocation } from './registered.tool.js';
import type { ArgumentSchema } from './schemas/argument.schema.js';
import type { FoundTool } from './tool.explorer.js';
import { NestToolInvocation } from './tool.invocation.js';

/** Opens operations of one tool. */
export type OpenTool = (call: ToolCall) => Awaitable<ToolInvocation>;

/** Binds tool methods to Nest's guards, pipes and interceptors. Singletons are bound once, scoped tools once per operation. */
@Injectable()
export class ToolInvoker {
  private readonly creator: ExternalContextCreator;
  private readonly config: ApplicationConfig;

  constructor(private readonly modules: ModuleRef) {
    const container = this.modules['container'];
    this.config = container.applicationConfig ?? new ApplicationConfig();
    this.creator = ExternalContextCreator.fromContainer(withNamedGuards(container, this.config));
  }

  /** The global guards that see every tool call, by class name. */
  globalGuards(): readonly string[] {
    return globalNames(globalEnhancers(this.config, 'guard'));
  }

  /**
   * How to open operations of a tool.
   *
   * @throws ConfigurationError for mechanisms that would not run
   */
  bind({ source: label, wrapper, type, mark, method }: FoundTool, toolName: string, schema: ArgumentSchema): OpenTool {
    checkEnhancers({ label, wrapper, type, name: mark.name, method, declared: mark.method }, this.config);
    const source = { toolName, wrapper, type, name: mark.name, method, metatype: schema.metatype };
    const invocation = (instance: object, contextId?: ContextId) =>
      new NestToolInvocation(
        new ToolContexts(source, this.creator, this.config, contextId),
        schema,
        instance,
        mark.name,
      );
    if (!isStaticProvider(wrapper)) {
      return async (call) => {
        const contextId = this.contextFor(call, wrapper);
        return invocation(await instanceOf(wrapper, contextId), contextId);
      };
    }
    // At the first call, not at boot: `app.useGlobalGuards()` may come after it.
    let shared: ToolInvocation | undefined;
    return () => (shared ??= invocation(wrapper.instance as object));
  }

  /** What is injected as REQUEST is the call (for a durable provider: what its strategy says). */
  private contextFor(call: ToolCall, wrapper: InstanceWrapper): ContextId {
    const contextId = ContextIdFactory.getByRequest(call);
    this.modules.registerRequestByContextId(wrapper.isDependencyTreeDurable() ? contextId.payload : call, contextId);
    return contextId;
  }
}

/** By the provider's own module: tokens repeat, and a module loaded later is not known to every ModuleRef. */
async function instanceOf(wrapper: InstanceWrapper, contextId: ContextId): Promise<object> {
  const modules = wrapper.host?.getProviderByKey<ModuleRef>(ModuleRef).instance;
  if (modules === undefined) throw new Error(`The provider ${String(wrapper.name)} belongs to no module.`);
  return modules.resolve<object>(wrapper.token as never, contextId, { strict: true });
}

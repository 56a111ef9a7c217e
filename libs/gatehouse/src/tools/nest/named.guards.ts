import { ForbiddenException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { ApplicationConfig, NestContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { isObservable, lastValueFrom } from 'rxjs';
import { enhancerName, scopedName } from './global.enhancers.js';

/**
 * The application's container as tools see it: the same in everything, but a global guard that refuses a tool call is named in the refusal.
 * Nest says only "Forbidden resource", and a guard written for HTTP requests refuses every tool call.
 */
export function withNamedGuards(container: NestContainer, config: ApplicationConfig): NestContainer {
  const named = Object.create(config, {
    getGlobalGuards: { value: () => config.getGlobalGuards().map((guard) => namedGuard(guard, enhancerName(guard))) },
    getGlobalRequestGuards: { value: () => config.getGlobalRequestGuards().map(namedWrapper) },
  }) as ApplicationConfig;
  return Object.create(container, { applicationConfig: { value: named } }) as NestContainer;
}

function namedWrapper(wrapper: InstanceWrapper<CanActivate>): InstanceWrapper<CanActivate> {
  const getInstanceByContextId: typeof wrapper.getInstanceByContextId = (...of) => {
    const host = wrapper.getInstanceByContextId(...of);
    return { ...host, instance: namedGuard(host.instance, scopedName(wrapper)) };
  };
  return Object.create(wrapper, { getInstanceByContextId: { value: getInstanceByContextId } }) as typeof wrapper;
}

function namedGuard(guard: CanActivate | undefined, name: string): CanActivate {
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      let passed: unknown;
      try {
        // One that is not there refuses too: Nest would pass over it.
        passed = await guard?.canActivate(context);
        if (isObservable(passed)) passed = await lastValueFrom(passed);
      } catch (cause) {
        throw refusal(name, cause);
      }
      if (!passed) throw refusal(name);
      return true;
    },
  };
}

const refusal = (name: string, cause?: unknown): ForbiddenException =>
  new ForbiddenException(
    `global guard ${name} saw a tool call; return true for isToolCall(context) where it has no say in tools`,
    { cause },
  );

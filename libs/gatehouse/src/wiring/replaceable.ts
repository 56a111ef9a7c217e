import type { Abstract, Provider, Type } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';

/**
 * A port with a default that an application replaces by providing the same token in any of its modules. Our own rooms inject the token here, where
 * Nest would never show them the application's provider; so what they get forwards to its methods. It is looked up on first use, when everything is made.
 */
export const replaceable = <T extends object>(token: Abstract<T>, fallback: Type<T>): Provider => ({
  provide: token,
  inject: [ModulesContainer, ModuleRef],
  useFactory: async (modules: ModulesContainer, ref: ModuleRef): Promise<T> => {
    const standard = await ref.create(fallback);
    let chosen: T | undefined;
    const choose = (): T => (chosen ??= replacement(modules, token) ?? standard);
    const members = new Map<string | symbol, unknown>();
    const forwarding: T = new Proxy(standard, {
      get: (_, key) => {
        // Asked while things are still being made, or by Nest of every provider: not a use of the port.
        if (typeof key === 'symbol' || NOT_OF_THE_PORT.has(key)) return Reflect.get(standard, key) as unknown;
        if (!members.has(key)) members.set(key, bound(choose(), key));
        return members.get(key);
      },
    });
    forwarders.add(forwarding);
    return forwarding;
  },
});

/** What forwards is nobody's replacement: one that forwards to another, which forwards to it, would never end. */
const forwarders = new WeakSet();

const NOT_OF_THE_PORT: ReadonlySet<string> = new Set([
  'then',
  'constructor',
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

const bound = (target: object, key: string | symbol): unknown => {
  const member: unknown = Reflect.get(target, key, target);
  return typeof member === 'function' ? (member.bind(target) as unknown) : member;
};

const replacement = <T extends object>(modules: ModulesContainer, token: Abstract<T>): T | undefined => {
  for (const module of modules.values()) {
    const instance = module.providers.get(token as Type<T>)?.instance as T | undefined;
    if (instance !== undefined && instance !== null && !forwarders.has(instance)) return instance;
  }
  return undefined;
};

import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { refuseGenerator } from './generator.method.js';
import { methodOf, ownerOf } from './nest/method.facts.js';
import {
  implementationOf,
  isStaticProvider,
  moduleNameOf,
  tokenClassOf,
  type ToolClass,
} from './nest/provider.class.js';
import {
  approvalOf,
  approvedMethods,
  hasClassApproval,
  markedTools,
  type MarkedTool,
  type StoredPolicy,
} from './tool.metadata.js';

/** A tool method found at a provider. */
export interface FoundTool {
  /** `Class#method`. */
  readonly source: string;
  /** Stable as long as the provider is there. */
  readonly id: string;
  readonly wrapper: InstanceWrapper;
  /** The class whose metadata counts: the provider's own, or the one it stands in for. */
  readonly type: ToolClass;
  readonly mark: MarkedTool;
  readonly approval?: StoredPolicy;
  /** The method as that class has it. */
  readonly method: object;
}

/**
 * Finds every tool of the application. A provider's tools are bound, or refused with a reason; none is ever left out in silence. Classes
 * that are nobody's provider cannot be seen.
 */
@Injectable()
export class ToolExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws ConfigurationError for a tool that could not be called */
  find(): readonly FoundTool[] {
    this.refuseControllers();
    const wrappers = this.discovery.getProviders();
    const real = wrappers.filter((wrapper) => !wrapper.isAlias);
    // Class providers first: a factory that hands on the same instance is another name for it.
    const ordered = [...real.filter((each) => !each.isNotMetatype), ...real.filter((each) => each.isNotMetatype)];
    const seen = new Set<unknown>();
    const found = ordered.flatMap((wrapper) => {
      const instance: unknown = isStaticProvider(wrapper) ? wrapper.instance : undefined;
      if (instance !== undefined && instance !== null) {
        if (seen.has(instance)) return [];
        seen.add(instance);
      }
      return toolsOf(wrapper);
    });
    wrappers.filter((wrapper) => wrapper.isAlias).forEach((alias) => refuseHidingAlias(alias, found));
    return found;
  }

  private refuseControllers(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      if (typeof metatype !== 'function') continue;
      const [tool] = markedTools(metatype);
      if (tool === undefined) continue;
      throw new ConfigurationError(
        `${metatype.name}#${tool.name}: a controller cannot have tools: outside of a request Nest finds no guards of controllers. ` +
          `Move the method to a provider that both use.`,
      );
    }
  }
}

function toolsOf(wrapper: InstanceWrapper): FoundTool[] {
  // A provider that is switched off: `useValue: null`.
  if (isStaticProvider(wrapper) && (wrapper.instance === null || wrapper.instance === undefined)) return [];
  const token = tokenClassOf(wrapper);
  const own = implementationOf(wrapper);
  const kept =
    token === undefined || token === own ? [] : markedTools(token).map((mark) => found(wrapper, token, mark));
  if (own === undefined) return kept;
  const names = new Set(kept.map(({ mark }) => mark.name));
  // An override inside a stand-in is what a stand-in is for.
  const standsIn = (mark: MarkedTool) => names.has(mark.name) && isOverridden(own, mark);
  const mine = markedTools(own).filter((mark) => !standsIn(mark));
  mine.forEach((mark) => refuseOverride(own, mark));
  refuseLoneApproval(own);
  const replaced = new Set(mine.map((mark) => mark.name));
  return [...kept.filter(({ mark }) => !replaced.has(mark.name)), ...mine.map((mark) => found(wrapper, own, mark))];
}

function found(wrapper: InstanceWrapper, type: ToolClass, mark: MarkedTool): FoundTool {
  const source = `${type.name}#${mark.name}`;
  const method = methodOf(type, mark.name);
  if (method === undefined)
    throw new ConfigurationError(`${source} is no method any more: an accessor took its place. Write it as a method.`);
  refuseGenerator(method, source);
  const standIn = implementationOf(wrapper);
  if (standIn !== undefined) refuseGenerator(methodOf(standIn, mark.name), `${standIn.name}#${mark.name}`);
  if (isStaticProvider(wrapper)) {
    const own: unknown = Reflect.get(wrapper.instance as object, mark.name);
    if (typeof own !== 'function') {
      throw new ConfigurationError(
        `${source}: what ${moduleNameOf(wrapper)} provides for ${type.name} has no method '${mark.name}', so the tool could not run. Add it.`,
      );
    }
    refuseGenerator(own, source);
  }
  return Object.freeze({
    source,
    id: `${wrapper.id}#${mark.name}`,
    wrapper,
    type,
    mark,
    approval: approvalOf(type, mark.name),
    method,
  });
}

const isOverridden = (type: ToolClass, mark: MarkedTool): boolean => ownerOf(type, mark.name) !== mark.declaredBy;

function refuseOverride(type: ToolClass, mark: MarkedTool): void {
  if (!isOverridden(type, mark)) return;
  const parent = (mark.declaredBy as { readonly name?: string }).name ?? 'its parent';
  throw new ConfigurationError(
    `${type.name}#${mark.name} overrides a tool of ${parent} without a decorator of its own, so the tool would be gone. ` +
      `Put @Tool (or @DestructiveTool) on the override, or give the method another name.`,
  );
}

/** An approval that nobody would ever ask for. */
function refuseLoneApproval(type: ToolClass): void {
  const tools = new Set(markedTools(type).map(({ name }) => name));
  const lone = approvedMethods(type).find((name) => !tools.has(name));
  if (lone === undefined && !(hasClassApproval(type) && tools.size === 0)) return;
  throw new ConfigurationError(
    `${type.name}${lone === undefined ? '' : `#${lone}`} has @RequireApproval, but no tool there would ask for it. Add @Tool, or remove it.`,
  );
}

/** `{ provide: Tools, useExisting: Other }` where Other has not the tools of Tools. */
function refuseHidingAlias(alias: InstanceWrapper, tools: readonly FoundTool[]): void {
  const token = tokenClassOf(alias);
  if (token === undefined) return;
  const target: unknown = alias.inject?.[0];
  const covered = tools.some(({ wrapper }) => wrapper.token === target || wrapper.instance === alias.instance);
  if (covered) return;
  throw new ConfigurationError(
    `${token.name} in ${moduleNameOf(alias)} is another name for a provider without its tools, so they would be gone. ` +
      `Use useClass or useValue, which keep them, or decorate the methods of that provider.`,
  );
}

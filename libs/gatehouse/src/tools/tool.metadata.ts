// Decorators run when their file is loaded, which may be before Nest is.
import 'reflect-metadata';
import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import { APPROVAL_METADATA, TOOL_METADATA } from '../contracts/tokens.js';
import type { ToolOptions } from '../contracts/tool.options.js';
import type { DecoratedMethod } from './decorated.method.js';

/** Options whose argument types are erased: the schema has checked the values by the time a callback sees them. */
export type StoredToolOptions = ToolOptions<never>;
export type StoredPolicy = ApprovalPolicy<never>;

/** What `@Tool` wrote. */
export interface ToolMark {
  readonly options: StoredToolOptions;
  /** What the author said about it: true, false, or nothing. */
  readonly destructive: boolean | undefined;
  /** The function as the decorator met it: another one at boot means a decorator above replaced it. */
  readonly method: object;
}

interface ApprovalMarks {
  readonly whole?: StoredPolicy;
  readonly methods: ReadonlyMap<string, StoredPolicy>;
}

type ToolMarks = ReadonlyMap<string, ToolMark>;

// Kept on the class, by method name, not on the function: a decorator that wraps the method cannot lose it.
const ownTools = (type: object): ToolMarks =>
  (Reflect.getOwnMetadata(TOOL_METADATA, type) as ToolMarks | undefined) ?? new Map();

const ownApprovals = (type: object): ApprovalMarks =>
  (Reflect.getOwnMetadata(APPROVAL_METADATA, type) as ApprovalMarks | undefined) ?? { methods: new Map() };

/** Writes what `@Tool` says. */
export function markTool(at: DecoratedMethod, mark: ToolMark): void {
  Reflect.defineMetadata(TOOL_METADATA, new Map(ownTools(at.type)).set(at.name, mark), at.type);
}

/** Whether `@Tool` or `@DestructiveTool` already stands on this very method. */
export const isMarkedTool = (at: DecoratedMethod): boolean => ownTools(at.type).has(at.name);

/** Writes what `@RequireApproval` says of one method. */
export function markApproval(at: DecoratedMethod, policy: StoredPolicy): void {
  const { whole, methods } = ownApprovals(at.type);
  Reflect.defineMetadata(APPROVAL_METADATA, { whole, methods: new Map(methods).set(at.name, policy) }, at.type);
}

/** Writes what `@RequireApproval` says of a whole class. */
export function markClassApproval(type: object, policy: StoredPolicy): void {
  Reflect.defineMetadata(APPROVAL_METADATA, { ...ownApprovals(type), whole: policy }, type);
}

/** A method that is a tool of a class, its own or inherited. */
export interface MarkedTool extends ToolMark {
  readonly name: string;
  /** The class whose `@Tool` counts. */
  readonly declaredBy: object;
}

/** Every tool of a class, those of its parents included. */
export function markedTools(type: object): readonly MarkedTool[] {
  const found = new Map<string, MarkedTool>();
  for (const declaredBy of lineOf(type)) {
    for (const [name, mark] of ownTools(declaredBy))
      if (!found.has(name)) found.set(name, { ...mark, name, declaredBy });
  }
  return [...found.values()];
}

/** The policy of a tool: the method's nearest one, inherited through overrides, else the class's. */
export function approvalOf(type: object, name: string): StoredPolicy | undefined {
  const marks = lineOf(type).map(ownApprovals);
  return marks.find(({ methods }) => methods.has(name))?.methods.get(name) ?? marks.find(({ whole }) => whole)?.whole;
}

/** Methods that ask for an approval. */
export const approvedMethods = (type: object): readonly string[] => [
  ...new Set(lineOf(type).flatMap((line) => [...ownApprovals(line).methods.keys()])),
];

/** Whether a class as a whole asks for approvals. */
export const hasClassApproval = (type: object): boolean =>
  lineOf(type).some((line) => ownApprovals(line).whole !== undefined);

/** A class and its parents, nearest first. */
export function lineOf(type: object): readonly object[] {
  const line: object[] = [];
  for (let at: unknown = type; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at))
    line.push(at);
  return line;
}

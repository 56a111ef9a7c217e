import { randomUUID } from 'node:crypto';
import type { ApprovalRequest, AuditEvent, OperationRecord, Page } from 'nest-gatehouse';
import { readEvents, type ReadEventsOptions } from 'nest-gatehouse/testing';
import { Told } from './told.js';

const LONGEST_STREAM_MS = 15_000;

/** A demo principal at work over HTTP. */
export class Person {
  constructor(
    private readonly baseUrl: string,
    private readonly name: string,
  ) {}

  /** Says something to the agent on a thread of its own, and reads the stream to its end, or until that frame. */
  async ask(text: string, options: ReadEventsOptions = {}): Promise<Told> {
    const threadId = randomUUID();
    const messages = [{ id: randomUUID(), role: 'user', content: text }];
    return this.stream(await this.post('agent/runs', { threadId, runId: randomUUID(), messages }), options);
  }

  /** A run's stream from the beginning until the run has ended. */
  async follow(runId: string): Promise<Told> {
    return this.stream(await this.get(`agent/runs/${runId}/events`));
  }

  /** Decides on exactly the arguments that the inbox shows. */
  async decide(approvalId: string, answer: object): Promise<Response> {
    const { argumentsDigest } = await this.json<ApprovalRequest>(`agent/approvals/${approvalId}`);
    return this.post(`agent/approvals/${approvalId}/decision`, { argumentsDigest, ...answer });
  }

  async approvals(runId: string): Promise<readonly ApprovalRequest[]> {
    return this.items(`agent/approvals?runId=${runId}`);
  }

  async executions(runId: string): Promise<readonly AuditEvent[]> {
    return this.items(`agent/audit/executions?runId=${runId}`);
  }

  /** Oldest first. */
  async operations(runId: string): Promise<readonly OperationRecord[]> {
    return (await this.items<OperationRecord>(`agent/audit/operations?runId=${runId}`)).toReversed();
  }

  async items<T>(path: string): Promise<readonly T[]> {
    return (await this.json<Page<T>>(path)).items;
  }

  async json<T>(path: string): Promise<T> {
    const response = await this.get(path);
    if (!response.ok) throw new Error(`${path} as ${this.name}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async get(path: string): Promise<Response> {
    return fetch(`${this.baseUrl}/${path}`, { headers: this.headers() });
  }

  async post(path: string, body: object): Promise<Response> {
    return fetch(`${this.baseUrl}/${path}`, { method: 'POST', headers: this.headers(), body: JSON.stringify(body) });
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.name}`, 'content-type': 'application/json' };
  }

  private async stream(response: Response, options: ReadEventsOptions = {}): Promise<Told> {
    const frames = await readEvents(response, { timeoutMs: LONGEST_STREAM_MS, ...options });
    return new Told(response.headers.get('gatehouse-run-id') ?? '', frames);
  }
}

import type { AuditEvent } from '../contracts/audit.event.js';
import { StorageUnavailableError } from '../contracts/errors/storage-unavailable.error.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import type { EvidenceStore } from '../contracts/ports/evidence.store.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { captureLog } from '../testing/captured.log.js';
import { EvidenceWriter } from './evidence.writer.js';
import { PostgresAuditLogger } from './postgres.audit.logger.js';

const execution = (id: string, argumentsRepr = '{}'): AuditEvent =>
  ({ id, toolName: 'lookup', runId: 'r1', argumentsRepr, error: null }) as AuditEvent;
const operation = (id: string): OperationRecord =>
  ({ id, toolName: 'lookup', runId: 'r1', argumentsRepr: '{}', error: null }) as OperationRecord;

/** Says what it was asked to write, and answers as it is told: with an error, or after something. */
class Store {
  readonly batches: string[] = [];
  constructor(private readonly answer: (ids: readonly string[]) => Promise<void> | void = () => undefined) {}
  appendExecutions = (events: readonly AuditEvent[]): Promise<void> => this.append('executions', events);
  appendOperations = (records: readonly OperationRecord[]): Promise<void> => this.append('operations', records);

  private async append(ledger: string, records: readonly { readonly id: string }[]): Promise<void> {
    const ids = records.map(({ id }) => id);
    this.batches.push(`${ledger} ${ids.length > 6 ? ids.length : ids.join(' ')}`);
    await this.answer(ids);
  }
}

const writerOn = (store: Store, drain = 1000): EvidenceWriter =>
  new EvidenceWriter(store as unknown as EvidenceStore, { runs: { drain } } as ResolvedOptions);

describe('EvidenceWriter', () => {
  const log = captureLog();
  beforeEach(() => void (log.lines.length = 0));
  afterAll(() => log.release());

  it('what was submitted in one turn is one batch for each ledger', async () => {
    const store = new Store();
    const writer = writerOn(store);
    new PostgresAuditLogger(writer).record(execution('e1'));
    writer.submitOperation(operation('o1'));
    writer.submitExecution(execution('e2'));
    expect([store.batches, writer.waiting]).toEqual([[], 3]);
    await writer.flush();
    expect(store.batches).toEqual(['executions e1 e2', 'operations o1']);
    expect([writer.waiting, writer.losses]).toEqual([0, 0]);
  });

  it('what queues while a batch is written is the next batch', async () => {
    let answer: () => void = () => undefined;
    const store = new Store((ids) => (ids[0] === 'e1' ? new Promise((resolve) => (answer = resolve)) : undefined));
    const writer = writerOn(store);
    writer.submitExecution(execution('e1'));
    await new Promise((resolve) => setImmediate(resolve));
    writer.submitExecution(execution('e2'));
    writer.submitExecution(execution('e3'));
    expect(store.batches).toEqual(['executions e1']);
    answer();
    await writer.flush();
    expect(store.batches).toEqual(['executions e1', 'executions e2 e3']);
  });

  it('a store that does not answer is tried again with the same batch', async () => {
    let failures = 2;
    const store = new Store(() => {
      if (failures-- > 0) throw new StorageUnavailableError('append');
    });
    const writer = writerOn(store);
    writer.submitExecution(execution('e1'));
    await writer.flush();
    expect(store.batches).toEqual(['executions e1', 'executions e1', 'executions e1']);
    expect(writer.losses).toBe(0);
  });

  it('the one record that a store refuses is lost alone, counted and logged', async () => {
    const store = new Store((ids) => {
      if (ids.includes('e3')) throw new Error('no such month');
    });
    const writer = writerOn(store);
    for (const id of ['e1', 'e2', 'e3', 'e4']) writer.submitExecution(execution(id));
    await writer.flush();
    expect(store.batches).toEqual([
      'executions e1 e2 e3 e4',
      'executions e1 e2',
      'executions e3 e4',
      'executions e3',
      'executions e4',
    ]);
    expect(writer.losses).toBe(1);
    expect(log.lines).toEqual([
      { level: 'error', context: 'gatehouse.audit', message: '1 evidence records are lost: Error: no such month.' },
    ]);
  });

  it('a full queue drops what comes, says so twice in all, and goes on', async () => {
    const store = new Store();
    const writer = writerOn(store);
    for (let index = 0; index < 10_005; index++) writer.submitExecution(execution(`e${index}`));
    expect([writer.waiting, writer.losses]).toEqual([10_000, 5]);
    await writer.flush();
    expect(store.batches).toHaveLength(20);
    expect(log.lines.map(({ message }) => message)).toEqual([
      "The evidence queue is full; records are dropped, the first for tool 'lookup', run r1.",
      'The evidence queue is empty again; 5 records were dropped.',
    ]);
    writer.submitExecution(execution('next'));
    await writer.flush();
    expect(store.batches.at(-1)).toBe('executions next');
  });

  it('the queue is bounded by bytes as well', async () => {
    const writer = writerOn(new Store());
    const large = 'x'.repeat(16 * 1024 * 1024 - 1024);
    for (let index = 0; index < 3; index++) writer.submitExecution(execution(`e${index}`, large));
    expect([writer.waiting, writer.losses]).toEqual([2, 1]);
    await writer.flush();
  });

  it('a shutdown writes what is left', async () => {
    const store = new Store();
    const writer = writerOn(store);
    writer.submitExecution(execution('e1'));
    await writer.beforeApplicationShutdown();
    expect(store.batches).toEqual(['executions e1']);
  });

  it('a shutdown waits no longer than its deadline, and says what is left', async () => {
    const writer = writerOn(new Store(() => new Promise(() => undefined)), 5);
    writer.submitExecution(execution('e1'));
    await writer.beforeApplicationShutdown();
    expect(log.lines.map(({ message }) => message)).toEqual([
      '1 evidence records were not written within 5 ms of the shutdown.',
    ]);
  });

  it('past the deadline nothing is waited for: a store that is gone costs the rest', async () => {
    const store = new Store(() => {
      throw new StorageUnavailableError('append');
    });
    const writer = writerOn(store, 5);
    writer.submitExecution(execution('e1'));
    await writer.beforeApplicationShutdown();
    await writer.flush();
    expect(writer.losses).toBe(1);
    expect(store.batches.length).toBeLessThanOrEqual(2);
  });
});

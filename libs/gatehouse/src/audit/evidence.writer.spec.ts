import { AuditUnavailableError } from '../contracts/errors/audit-unavailable.error.js';
import { StorageUnavailableError } from '../contracts/errors/storage-unavailable.error.js';
import type { LedgerEntry } from '../contracts/ledger.js';
import { EvidenceLog, type Appended, type MovedFacts } from '../contracts/ports/evidence.log.js';
import type { SealStore } from '../contracts/ports/seal.store.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { captureLog } from '../testing/captured.log.js';
import { anExecution, anOperation } from '../testing/contracts/store.samples.js';
import { EvidenceHealth } from './evidence.health.js';
import { EvidenceWriter } from './evidence.writer.js';
import { PostgresAuditLogger } from './postgres.audit.logger.js';

const RUN = { id: 'r1', threadId: 't1' };
const execution = (id: string, argumentsRepr = '{}') => anExecution(RUN, { id, toolName: 'lookup', argumentsRepr });
const entry = (id: string): LedgerEntry => ({ record: { id, kind: 'read', at: new Date(0) }, payload: null });

type Answer = (ids: readonly string[], entries: readonly LedgerEntry[]) => Promise<Appended> | Appended | undefined;

/** Says what it was asked to write, and answers as it is told. */
class Log extends EvidenceLog {
  override lanes = 1;
  readonly batches: string[] = [];
  readonly entries: LedgerEntry[] = [];
  facts: number[] = [];
  nudge: () => void = () => undefined;

  constructor(private readonly answer: Answer = () => undefined) {
    super();
  }

  override async append(entries: readonly LedgerEntry[]): Promise<Appended> {
    const ids = entries.map(({ record }) =>
      record.kind === 'gap' ? `gap(${record.status} ${record.amount})` : record.id,
    );
    this.batches.push(ids.length > 6 ? `${ids.length}` : ids.join(' '));
    this.entries.push(...entries);
    return (await this.answer(ids, entries)) ?? { refused: [], conflicts: [] };
  }

  override moveFacts(): Promise<MovedFacts> {
    this.batches.push('facts');
    return Promise.resolve({ moved: this.facts.shift() ?? 0, refused: 0 });
  }

  override onFacts(listener: () => void): () => void {
    this.nudge = listener;
    return () => (this.nudge = () => undefined);
  }

  override open = (): void => undefined;
  override waitingFacts = () => Promise.resolve({ waiting: 3, oldestMs: 7 });
  override beat = () => Promise.resolve();
  override markLost = () => Promise.resolve([]);
  override close = () => Promise.resolve(void this.batches.push('closed'));
}

const writerOn = (log: Log, { drain = 1000, records = 10_000 } = {}): EvidenceWriter => {
  const queue = { records, bytes: 64 * 1024 * 1024 };
  return new EvidenceWriter(log, { runs: { drain }, audit: { queue } } as unknown as ResolvedOptions);
};

/** With a checkpoint due each second, and each minute when nothing happens. */
const healthOf = (writer: EvidenceWriter, checkpoint?: { readonly createdAt: Date }): EvidenceHealth => {
  const seals = { latestCheckpoint: () => Promise.resolve(checkpoint) } as unknown as SealStore;
  const options = { persistence: {}, audit: { seal: { interval: 1000, heartbeat: 60_000 } } };
  return new EvidenceHealth(writer, seals, options as unknown as ResolvedOptions);
};

const away = (): never => {
  throw new StorageUnavailableError('append');
};

describe('EvidenceWriter', () => {
  const log = captureLog();
  beforeEach(() => void (log.lines.length = 0));
  afterAll(() => log.release());

  it('what was submitted in one turn is one batch, in order', async () => {
    const store = new Log();
    const writer = writerOn(store);
    new PostgresAuditLogger(writer).record(execution('e1'));
    writer.submitOperation(anOperation(RUN, { id: 'o1' }));
    writer.submitExecution(execution('e2'));
    expect([store.batches, writer.waiting]).toEqual([[], 3]);
    await writer.flush();
    expect(store.batches).toEqual(['e1 o1 e2', 'facts']);
    expect([writer.waiting, writer.losses]).toEqual([0, 0]);
  });

  it('what queues while a batch is written is the next batch; what somebody waits for goes first in it', async () => {
    let answer: () => void = () => undefined;
    const store = new Log(([id]) =>
      id === 'e1' ? new Promise((resolve) => (answer = () => resolve({ refused: [], conflicts: [] }))) : undefined,
    );
    const writer = writerOn(store);
    writer.submitExecution(execution('e1'));
    await new Promise((resolve) => setImmediate(resolve));
    writer.submitExecution(execution('e2'));
    const durable = writer.submitDurably(entry('d1'), 1000);
    expect(store.batches).toEqual(['e1']);
    answer();
    await durable;
    expect(store.batches).toEqual(['e1', 'd1 e2']);
  });

  it('a log that does not answer is tried again with the same batch, for as long as it takes', async () => {
    let failures = 3;
    const store = new Log(() => (failures-- > 0 ? away() : undefined));
    const writer = writerOn(store);
    await writer.submitDurably(entry('d1'), 5000);
    expect(store.batches).toEqual(['d1', 'd1', 'd1', 'd1']);
    expect([writer.losses, healthOf(writer).metrics().retries]).toEqual([0, 3]);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('whoever waits for a commit waits no longer than the deadline; a flush during an outage rejects', async () => {
    const writer = writerOn(new Log(away));
    await expect(writer.submitDurably(entry('d1'), 10)).rejects.toThrow(AuditUnavailableError);
    await expect(writer.flush(10)).rejects.toThrow(AuditUnavailableError);
    writer.lanes.close();
    await writer.lanes.idle();
  });

  it('a record that the log refuses is counted, and a gap record stands for it', async () => {
    const store = new Log((ids, entries) =>
      ids.includes('e2')
        ? { refused: [{ entry: entries[1] ?? entry('none'), reason: 'No such month.' }], conflicts: [] }
        : undefined,
    );
    const writer = writerOn(store);
    for (const id of ['e1', 'e2', 'e3']) writer.submitExecution(execution(id));
    await writer.flush();
    expect(store.batches).toEqual(['e1 e2 e3', 'gap(refused 1)', 'facts']);
    expect(store.entries.at(-1)?.record).toMatchObject({
      reference: 'e2',
      toolName: 'lookup',
      outcome: 'tool.executed',
    });
    expect(JSON.parse(store.entries.at(-1)?.payload?.detail ?? '')).toMatchObject({ record: { id: 'e2' } });
    const { lost, gaps } = healthOf(writer).metrics();
    expect([lost, gaps]).toEqual([1, 1]);
    expect(log.lines).toEqual([
      { level: 'error', context: 'gatehouse.audit', message: 'Record e2 is not stored as it is. No such month.' },
    ]);
  });

  it('an id that is taken by something else is a warning about integrity, told to whoever waits', async () => {
    const store = new Log((ids, entries) => (ids.includes('d1') ? { refused: [], conflicts: entries } : undefined));
    const writer = writerOn(store);
    await expect(writer.submitDurably(entry('d1'), 1000)).rejects.toMatchObject({
      cause: new Error('Its id is taken by a record that says something else.'),
    });
    await writer.flush();
    expect(store.batches).toEqual(['d1', 'gap(conflict 1)', 'facts']);
    expect(healthOf(writer).metrics()).toMatchObject({ lost: 0, conflicts: 1, gaps: 1 });
  });

  it('a full queue drops what comes, says so twice in all and once in the log, and goes on', async () => {
    const store = new Log();
    const writer = writerOn(store, { records: 1000 });
    for (let index = 0; index < 1005; index++) writer.submitExecution(execution(`e${index}`));
    expect([writer.waiting, writer.losses]).toEqual([1000, 5]);
    await expect(writer.submitDurably(entry('d1'), 1000)).rejects.toThrow(AuditUnavailableError);
    await writer.flush();
    expect(store.batches).toEqual(['501', '500', 'facts']);
    const gap = store.entries.find(({ record }) => record.kind === 'gap');
    expect(gap?.record).toMatchObject({ status: 'overflow', amount: 5, reference: 'e1000..e1004' });
    expect(log.lines.map(({ message }) => message)).toEqual([
      "The evidence queue is full; records are dropped, the first for tool 'lookup', run r1.",
      'The evidence queue takes records again; 5 were dropped.',
    ]);
    await writer.submitDurably(entry('next'), 1000);
  });

  it('the line about it stays one line, and short, whatever a model called its tool', async () => {
    const writer = writerOn(new Log(), { records: 1 });
    writer.submitExecution(execution('e1'));
    writer.submitExecution(anExecution(RUN, { toolName: `lookup\nERROR forged \u202e${'x'.repeat(100_000)}` }));
    await writer.flush();
    const [line] = log.lines.map(({ message }) => message);
    expect(line).toMatch(
      /^The evidence queue is full; .* for tool 'lookup\\u\{a\}ERROR forged \\u\{202e\}x+.*', run r1\.$/,
    );
    expect(line?.length).toBeLessThan(200);
  });

  it('the queue is bounded by bytes as well', async () => {
    const writer = writerOn(new Log());
    const large = 'x'.repeat(16 * 1024 * 1024 - 1024);
    for (let index = 0; index < 3; index++) writer.submitExecution(execution(`e${index}`, large));
    expect([writer.waiting, writer.losses]).toEqual([2, 1]);
    await writer.flush();
  });

  it('facts are moved when this process says that there are some, until fewer come than were asked for', async () => {
    const store = new Log();
    store.facts = [500, 500, 2];
    const writer = writerOn(store);
    store.nudge();
    store.nudge();
    await writer.flush();
    expect(store.batches).toEqual(['facts', 'facts', 'facts']);
    store.nudge();
    while (store.batches.length < 4) await new Promise((resolve) => setImmediate(resolve));
  });

  it('a shutdown writes what is left, says goodbye, and takes nothing more', async () => {
    const store = new Log();
    const writer = writerOn(store);
    writer.submitExecution(execution('e1'));
    await writer.beforeApplicationShutdown();
    writer.submitExecution(execution('e2'));
    await writer.onApplicationShutdown();
    expect(store.batches).toEqual(['e1', 'facts', 'e2', 'facts', 'closed']);
    writer.submitExecution(execution('e3'));
    expect([writer.waiting, writer.losses]).toEqual([0, 1]);
  });

  it('a shutdown waits no longer than its deadline, and says what is left', async () => {
    const writer = writerOn(new Log(() => new Promise(() => undefined)), { drain: 5 });
    writer.submitExecution(execution('e1'));
    await writer.beforeApplicationShutdown();
    await writer.onApplicationShutdown();
    expect(log.lines.map(({ message }) => message)).toEqual([
      '1 evidence records were not written before the shutdown; they are lost.',
    ]);
  });

  it('is up, degraded by what is missing, and down while nothing can be written', async () => {
    const store = new Log();
    const checkpoint = { createdAt: new Date() };
    const health = healthOf(writerOn(store), checkpoint);
    expect(await health.check()).toMatchObject({
      status: 'up',
      reasons: [],
      metrics: { factsWaiting: 3, oldestFactMs: 7 },
    });
    checkpoint.createdAt = new Date(Date.now() - 64_000);
    const { status, reasons } = await health.check();
    expect([status, reasons.length]).toEqual(['degraded', 1]);
    store.waitingFacts = () => Promise.reject(new StorageUnavailableError('count'));
    expect((await health.check()).status).toBe('down');
  });
});

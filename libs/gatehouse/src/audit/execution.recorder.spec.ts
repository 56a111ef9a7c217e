import type { AuditEvent } from '../contracts/audit.event.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { AuditLogger } from '../contracts/roles.js';
import { captureLog } from '../testing/captured.log.js';
import { ExecutionRecorder } from './execution.recorder.js';
import { NullAuditLogger } from './null.audit.logger.js';

const event = (toolName: string): AuditEvent => ({ toolName, runId: 'r1' }) as AuditEvent;

class Keeping implements AuditLogger {
  readonly kept: AuditEvent[] = [];
  record(given: AuditEvent): void {
    this.kept.push(given);
  }
}

class Throwing implements AuditLogger {
  record(given: AuditEvent): void {
    if (given.toolName === 'first') throw new Error('disk full');
  }
}

class Rejecting implements AuditLogger {
  record(): Promise<void> {
    return Promise.reject(new Error('gone'));
  }
}

class Hanging implements AuditLogger {
  reject: (error: Error) => void = () => undefined;
  record(): Promise<void> {
    return new Promise((_, reject) => (this.reject = reject));
  }
}

function recorder(loggers: readonly AuditLogger[], audit: Partial<ResolvedOptions['audit']> = {}): ExecutionRecorder {
  return new ExecutionRecorder(loggers, { audit: { enabled: true, sinkTimeout: 1000, ...audit } } as ResolvedOptions);
}

describe('ExecutionRecorder', () => {
  const log = captureLog();
  beforeEach(() => void (log.lines.length = 0));
  afterAll(() => log.release());

  it('[147] every logger holds the same one record', async () => {
    const [one, other] = [new Keeping(), new Keeping()];
    const given = event('lookup');
    await recorder([one, other]).record(given);
    expect([one.kept, other.kept]).toEqual([[given], [given]]);
    expect(one.kept[0]).toBe(other.kept[0]);
  });

  it.each([
    ['[153] throws', new Throwing(), 'first', 'Error: disk full'],
    ['[154] rejects', new Rejecting(), 'first', 'Error: gone'],
  ])('a sink that %s costs its record, is logged and counted', async (_, sink, toolName, why) => {
    const keeping = new Keeping();
    const recording = recorder([sink, keeping]);
    await expect(recording.record(event(toolName))).resolves.toBeUndefined();
    expect(keeping.kept).toHaveLength(1);
    expect(recording.dropped).toBe(1);
    expect(log.lines).toEqual([
      {
        level: 'error',
        context: 'gatehouse.audit',
        message: `Audit event dropped by ${sink.constructor.name}: tool 'first', run r1 (${why}).`,
      },
    ]);
  });

  it('[155] a sink that hangs is given its time; what it says later harms nobody', async () => {
    const hanging = new Hanging();
    const recording = recorder([hanging], { sinkTimeout: 5 });
    await recording.record(event('lookup'));
    expect(log.lines[0]?.message).toBe(
      "Audit event dropped by Hanging: tool 'lookup', run r1 (Error: no answer within 5 ms).",
    );
    // An unhandled rejection would fail this file.
    hanging.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(recording.dropped).toBe(1);
  });

  it('[157] a sink that failed once is given the next record', async () => {
    const recording = recorder([new Throwing()]);
    await recording.record(event('first'));
    await recording.record(event('second'));
    expect(recording.dropped).toBe(1);
  });

  it('[151] is inactive where nobody records', () => {
    expect(recorder([]).active).toBe(false);
    expect(recorder([new NullAuditLogger()]).active).toBe(false);
    expect(recorder([new Keeping()], { enabled: false }).active).toBe(false);
    expect(recorder([new NullAuditLogger(), new Keeping()]).active).toBe(true);
  });
});

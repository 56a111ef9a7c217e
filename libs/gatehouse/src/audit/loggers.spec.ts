import type { AuditEvent } from '../contracts/audit.event.js';
import { captureLog } from '../testing/captured.log.js';
import { LoggingAuditLogger } from './logging.audit.logger.js';
import { NullAuditLogger } from './null.audit.logger.js';

const EVENT: AuditEvent = Object.freeze({
  id: 'e1',
  kind: 'tool',
  toolName: 'lookup',
  argumentsRepr: '{"n":0}',
  durationMs: 12.3456,
  success: true,
  error: null,
  resultSize: 5,
  organizationId: null,
  targetType: null,
  targetId: null,
  ipAddress: null,
  runId: 'r1',
  threadId: 't1',
  operationId: 'o1',
  principalId: null,
  late: false,
  startedAt: new Date(0),
  finishedAt: new Date(12),
});

describe('LoggingAuditLogger', () => {
  const log = captureLog();
  beforeEach(() => void (log.lines.length = 0));
  afterAll(() => log.release());

  const lineOf = (changes: Partial<AuditEvent>): string => {
    new LoggingAuditLogger().record({ ...EVENT, ...changes });
    return log.lines.at(-1)?.message ?? '';
  };

  it('[158] [162] a success is INFO: tool, duration with two decimals, size, arguments, and no empty labels', () => {
    expect(lineOf({})).toBe('lookup ok in 12.35 ms, size 5 args={"n":0}');
    expect(log.lines[0]).toMatchObject({ level: 'log', context: 'gatehouse.audit' });
  });

  it('[159] a failure is WARN, with class and message', () => {
    expect(lineOf({ success: false, error: 'ValueError: kaboom', resultSize: null })).toBe(
      'lookup failed in 12.35 ms: ValueError: kaboom args={"n":0}',
    );
    expect(log.lines[0]).toMatchObject({ level: 'warn', context: 'gatehouse.audit' });
  });

  it('[160] organization, target and address are labelled', () => {
    const labelled = { organizationId: 'acme', targetType: 'order', targetId: '42', ipAddress: '10.0.0.7' };
    expect(lineOf(labelled)).toBe('lookup ok in 12.35 ms, size 5 args={"n":0} org=acme target=order:42 ip=10.0.0.7');
  });

  it('[161] half a target says so', () => {
    expect(lineOf({ targetId: '42' })).toContain(' target=?:42');
    expect(lineOf({ targetType: 'order' })).toContain(' target=order:?');
  });

  it('no text can forge a second entry', () => {
    expect(lineOf({ success: false, error: 'Error: a\nlookup ok' })).toContain('Error: a\\u{a}lookup ok');
  });
});

describe('NullAuditLogger', () => {
  it('does nothing', () => {
    expect(new NullAuditLogger().record()).toBeUndefined();
  });
});

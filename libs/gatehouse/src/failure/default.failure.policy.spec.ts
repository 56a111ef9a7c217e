import { ForbiddenException, HttpException, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { NotPermitted } from '../contracts/errors/not-permitted.error.js';
import { PrincipalUnavailable } from '../contracts/errors/principal-unavailable.error.js';
import { RetryBudgetExceededError } from '../contracts/errors/retry-budget-exceeded.error.js';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import { TerminalOperationError } from '../contracts/errors/terminal-operation.error.js';
import { ToolFailedError } from '../contracts/errors/tool-failed.error.js';
import { ToolRetryError } from '../contracts/errors/tool-retry.error.js';
import type { RedactionOptions } from '../contracts/redaction.options.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { captureLog } from '../testing/captured.log.js';
import { Redactor } from '../values/redactor.js';
import { DefaultToolFailurePolicy } from './default.failure.policy.js';

const CALL = Object.freeze({ toolName: 'refund', operationId: 'o1', runId: 'r1' });

function policy(
  failure: Partial<ResolvedOptions['failure']> = {},
  redaction: RedactionOptions = {},
): DefaultToolFailurePolicy {
  const options = {
    failure: { enabled: true, includeDetail: false, reraise: undefined, ...failure },
  } as ResolvedOptions;
  return new DefaultToolFailurePolicy(options, new Redactor(redaction));
}

function thrownBy(work: () => unknown): unknown {
  try {
    return ['returned', work()];
  } catch (error) {
    return error;
  }
}

class LookupError extends Error {}
class MissingRow extends LookupError {}
class Teapot extends HttpException {
  constructor() {
    super('no coffee', 403);
  }
}

// As @casl/ability makes it: the name is set on the instance, the ability stands on it.
function caslDenial(ability: unknown): Error {
  return Object.assign(new Error('Cannot execute "delete" on "Order"'), { name: 'ForbiddenError', ability });
}

describe('DefaultToolFailurePolicy', () => {
  const log = captureLog();
  beforeEach(() => void (log.lines.length = 0));
  afterAll(() => log.release());

  it('[183] [186] converts a failure, and logs it once with its stack and in clear', () => {
    const error = new RangeError('hunter2');
    expect(policy().toResult(error, CALL)).toBe("Tool 'refund' failed (operation o1). Do not repeat this call.");
    expect(log.lines).toEqual([
      {
        level: 'error',
        context: 'gatehouse.failure',
        message: "Tool 'refund' failed: RangeError: hunter2 (operation o1, run r1). The run goes on.",
        stack: error.stack,
      },
    ]);
  });

  it('[184] with includeDetail the model reads class and message, redacted by the patterns of the host', () => {
    const detailed = policy({ includeDetail: true }, { valuePatterns: [/hunter\d/] });
    expect(detailed.toResult(new RangeError('key hunter2'), CALL)).toBe(
      "Tool 'refund' failed (operation o1): RangeError: key [redacted]",
    );
    expect(log.lines[0]?.message).toContain('key hunter2');
  });

  it('[185] switched off it throws the original', () => {
    const error = new Error('kaboom');
    expect(thrownBy(() => policy({ enabled: false }).toResult(error, CALL))).toBe(error);
    expect(log.lines).toEqual([]);
  });

  it.each([
    new ForbiddenException(),
    new UnauthorizedException(),
    new Teapot(),
    new NotPermitted(),
    new PrincipalUnavailable(),
    caslDenial({ can: () => false }),
  ])('[200] [201] a denial ends the run with the same object, silently: %p', (denial) => {
    expect(policy().endsRun(denial)).toBe(true);
    expect(thrownBy(() => policy().toResult(denial, CALL))).toBe(denial);
    expect(log.lines).toEqual([]);
  });

  it.each([new NotFoundException(), caslDenial('nothing of casl'), new Error('403'), 'a string', undefined])(
    '[204] anything else is just another failure: %p',
    (error) => {
      expect(policy().endsRun(error)).toBe(false);
      expect(policy().toResult(error, CALL)).toContain('failed');
      expect(log.lines).toHaveLength(1);
    },
  );

  it('[202] reraise: [] converts denials too', () => {
    expect(policy({ reraise: [] }).toResult(new ForbiddenException(), CALL)).toContain('failed');
  });

  it('[203] [205] reraise replaces the default set, and holds for subclasses', () => {
    const lookups = policy({ reraise: [LookupError] });
    const missing = new MissingRow();
    expect(thrownBy(() => lookups.toResult(missing, CALL))).toBe(missing);
    expect(lookups.toResult(new ForbiddenException(), CALL)).toContain('failed');
  });

  it('[196] [198] a spent budget is converted, unless reraise names it', () => {
    const spent = new RetryBudgetExceededError('refund', 0, { cause: new ToolRetryError('again') });
    expect(policy().toResult(spent, CALL)).toContain('failed');
    expect(thrownBy(() => policy({ reraise: [RetryBudgetExceededError] }).toResult(spent, CALL))).toBe(spent);
  });

  it('[195] words that a tool chose for the model are kept, and nothing is logged', () => {
    expect(policy().toResult(new ToolFailedError('maintenance'), CALL)).toBe('maintenance');
    expect(log.lines).toEqual([]);
  });

  it('[333] what ends this run cannot be configured away', () => {
    const aborted = new RunAbortedError('stop', 'operation');
    const hooked = new HookAbortError('stop');
    hooked.runId = 'r1';
    for (const error of [aborted, hooked]) {
      expect(thrownBy(() => policy({ reraise: [] }).toResult(error, CALL))).toBe(error);
    }
  });

  it('[57] what ended a child run is an ordinary failure of its parent, except a terminal error', () => {
    class Fatal extends TerminalOperationError {}
    const aborted = new RunAbortedError('stop', 'operation');
    aborted.runId = 'child';
    const fatal = new Fatal('no model may handle this');
    fatal.runId = 'child';
    expect(policy().toResult(aborted, CALL)).toContain('failed');
    expect(thrownBy(() => policy({ reraise: [] }).toResult(fatal, CALL))).toBe(fatal);
  });
});

import { context, ROOT_CONTEXT, trace, type Context, type ContextManager, type Span } from '@opentelemetry/api';
import { workInside } from './span.around.js';

const SPAN = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });

const manager = (enter: (work: () => unknown) => unknown): ContextManager => {
  const own: ContextManager = {
    active: () => ROOT_CONTEXT,
    with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
      _: Context,
      work: F,
      _this?: ThisParameterType<F>,
      ...args: A
    ) => enter(() => work(...args)) as ReturnType<F>,
    bind: (_, target) => target,
    enable: () => own,
    disable: () => own,
  };
  return own;
};

const throwing = (): never => {
  throw new Error('broken');
};

afterEach(() => context.disable());

it.each<[string, (work: () => unknown) => unknown, string[]]>([
  ['enters it', (work) => work(), []],
  ['throws before', throwing, ['broken']],
  ['throws behind', (work) => (void work(), throwing()), ['broken']],
  ['calls twice', (work) => (void work(), work()), []],
  ['never calls', () => undefined, []],
])('the work is done once where the context manager %s', async (_, enter, expected) => {
  context.setGlobalContextManager(manager(enter));
  const done: string[] = [];
  const troubles: string[] = [];
  const work = () => Promise.resolve(done.push('work'));
  await expect(workInside(SPAN, work, (trouble) => troubles.push((trouble as Error).message))).resolves.toBe(1);
  expect([done, troubles]).toEqual([['work'], expected]);
});

it('the work is done where a span is of another making', async () => {
  await expect(workInside({} as Span, () => Promise.resolve('done'), throwing)).resolves.toBe('done');
});

import { ConfigurationError, type ToolMiddleware } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { boot } from '../support/governed/governed.app.js';
import { readings } from './support/conversations.js';
import { staged, toolLines, type StagedApp } from './support/staged.app.js';
import { Stage } from './support/staged.tools.js';
import { logging, wrapping } from './support/wrappers.js';

let app: StagedApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

const lookup = (n = 0) => [[call('lookup', { n }, 'c1')], [says('done')]];
const boom = [[call('boom', { n: 0 }, 'c1')], [says('done')]];
const pass: ToolMiddleware['aroundTool'] = (_call, next) => next();
/** Why an application with this middleware does not start. */
const refusal = (providers: Parameters<typeof boot>[0]['providers']): Promise<unknown> =>
  boot({ providers }).then(
    async (started) => {
      await started.close();
      return 'started';
    },
    (error: unknown) => error,
  );

describe('an application does not start with middleware', () => {
  const Unregistered = wrapping(pass, {}, 'Unregistered');
  class NoMiddleware implements ToolMiddleware {
    aroundTool = pass;
  }

  it.each([
    ['a class that nobody provides', Unregistered],
    ['a class that is no middleware', NoMiddleware],
  ])("[209] whose 'wrappedBy' names %s", async (_, other) => {
    const error = await refusal([wrapping(pass, { wrappedBy: [other] }, 'Lost')]);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      message: expect.stringContaining(`Lost: 'wrappedBy' names ${other.name}, which is no registered middleware.`),
    });
  });

  it("[213] whose 'requires' names nothing registered, or that asks for a circle", async () => {
    expect(await refusal([wrapping(pass, { requires: [Unregistered] }, 'Needy')])).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining("Needy: 'requires' names Unregistered, which is no registered middleware."),
    });
    const Hen = wrapping(pass, {}, 'Hen');
    const Egg = wrapping(pass, { wraps: [Hen], wrappedBy: [Hen] }, 'Egg');
    expect(await refusal([Hen, Egg])).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('Middleware Egg, Hen cannot be ordered'),
    });
  });
});

describe('the order of middleware', () => {
  it('[210] nothing can be placed inside the record: it has what the innermost one made of the arguments', async () => {
    const Rewriting = wrapping((_call, next) => next({ args: { n: 7 } }), { position: 'innermost' }, 'Rewriting');
    app = await staged({}, { providers: [Rewriting] });
    await app.play(lookup());
    expect(app.module.get(Stage).ran).toEqual(['lookup {"n":7}']);
    expect(toolLines(app)).toEqual([['lookup', '{"n":7}', true, null, 5]]);
  });

  it('[211] before the call is outer to inner, after it and on an error inner to outer', async () => {
    const log: string[] = [];
    const Inner = logging(log, 'Inner', { position: 'innermost' });
    const Middle = logging(log, 'Middle');
    const Outer = logging(log, 'Outer', { position: 'outermost' });
    app = await staged({}, { providers: [Inner, Middle, Outer] });
    await app.play(lookup());
    const inward = ['Outer before', 'Middle before', 'Inner before'];
    expect(log.splice(0)).toEqual([...inward, 'Inner after', 'Middle after', 'Outer after']);
    await app.play(boom);
    expect(log).toEqual([...inward, 'Inner error', 'Middle error', 'Outer error']);
  });

  it('[212] the first that answers an error ends it: those further out see a result', async () => {
    const log: string[] = [];
    const Answering = wrapping((_call, next) => next().catch(() => 'answered'), {}, 'Answering');
    const Outer = logging(log, 'Outer', { position: 'outermost' });
    const Inner = logging(log, 'Inner', { position: 'innermost' });
    app = await staged({}, { providers: [Answering, Outer, Inner] });
    const told = await app.play(boom);
    expect(log).toEqual(['Outer before', 'Inner before', 'Inner error', 'Outer after']);
    expect(readings(told)).toEqual([['success', 'answered']]);
  });

  it('[214] two outermost ones of one run keep the order of the list; of the module, of their names', async () => {
    const log: string[] = [];
    const outermost = { position: 'outermost' } as const;
    const [Zeta, Alpha] = [logging(log, 'Zeta', outermost), logging(log, 'Alpha', outermost)];
    app = await staged();
    await app.play(lookup(), { middleware: [new Zeta(), new Alpha()] });
    expect(log.splice(0)).toEqual(['Zeta before', 'Alpha before', 'Alpha after', 'Zeta after']);
    await app.close();
    app = await staged({}, { providers: [Zeta, Alpha] });
    await app.play(lookup());
    expect(log).toEqual(['Alpha before', 'Zeta before', 'Zeta after', 'Alpha after']);
  });

  it('one of the run stands inside all of the module', async () => {
    const log: string[] = [];
    const Module = logging(log, 'Module', { position: 'innermost' });
    const Run = logging(log, 'Run', { position: 'outermost' });
    app = await staged({}, { providers: [Module] });
    await app.play(lookup(), { middleware: [new Run()] });
    expect(log).toEqual(['Module before', 'Run before', 'Run after', 'Module after']);
  });
});

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ApprovalRequest, AuditEvent, Page, TerminalEntry, TimelineEntry } from 'nest-gatehouse';
import { openDesk, type Desk } from './support/desk.js';

const run = promisify(execFile);
const README = new URL('../../README.md', import.meta.url);
const SEPARATOR = '--- next block ---';

/** The session of the README as one shell would see it: every ```bash block, in order, at another port. */
async function session(baseUrl: string): Promise<readonly string[]> {
  const text = await readFile(README, 'utf8');
  const blocks = [...text.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const script = blocks.join(`echo; echo '${SEPARATOR}'\n`).replaceAll('http://127.0.0.1:3000', baseUrl);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { timeout: 20_000 });
  return stdout.split(SEPARATOR).map((part) => part.trim());
}

describe('the README', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ carrierDelayMs: 2_000 });
  });
  afterAll(() => desk?.close());

  it('has a session with curl that works as printed, also the second time', async () => {
    for (const left of ['974.00 EUR', '949.00 EUR']) {
      const [start, inbox, decision, follow, audit, forbidden, agreed, disconnect, ...rest] = await session(desk.url);
      expect(rest).toEqual([]);
      expect(start).toContain('"toolCallName":"refund_order"');
      expect(start?.trimEnd().split('\n').at(-1)).toMatch(
        /^data: .*"type":"RUN_FINISHED".*"outcome":\{"type":"interrupt"/,
      );
      const [waiting, ...others] = (JSON.parse(inbox ?? '') as Page<ApprovalRequest>).items;
      expect([waiting?.summary, others]).toEqual(['Refund 25.00 EUR of order 1001', []]);
      expect(JSON.parse(decision ?? '')).toMatchObject({ id: waiting?.id, decidedBy: ['approver'] });
      expect(follow).toContain(`\\"refunded\\":\\"25.00 EUR\\",\\"left\\":\\"${left}\\"`);
      expect(follow?.trimEnd().split('\n').at(-1)).toMatch(/"outcome":\{"type":"success"\}/);

      const [executions, approvals] = (audit ?? '').split('}{').map((page, at) => (at === 0 ? `${page}}` : `{${page}`));
      expect((JSON.parse(executions ?? '') as Page<AuditEvent>).items).toMatchObject([
        { toolName: 'refund_order', success: true, runId: waiting?.runId },
      ]);
      expect((JSON.parse(approvals ?? '') as Page<ApprovalRequest>).items).toMatchObject([
        { id: waiting?.id, note: 'Checked with the customer.' },
      ]);
      expect(forbidden?.trimEnd().split('\n').at(-1)).toContain('"code":"approval_forbidden"');
      const [first = '', second = '', ...told] = (agreed ?? '').split('\n');
      expect([first, second].map((text) => (JSON.parse(text) as ApprovalRequest).votes.length)).toEqual([1, 2]);
      expect((JSON.parse(first) as ApprovalRequest).status).toBe('pending');
      const story = JSON.parse(told.at(-1) ?? '') as { readonly items: readonly TimelineEntry[] };
      expect(story.items.slice(0, 7).map(({ kind, by }) => `${kind} ${by}`)).toEqual([
        'run.started null',
        'approval.requested support',
        'approval.refused support',
        'approval.voted approver',
        'approval.voted approver2',
        'approval.decided null',
        'approval.claimed null',
      ]);
      const terminals = (disconnect ?? '').trimEnd().split('\n').at(-1) ?? '';
      expect((JSON.parse(terminals) as Page<TerminalEntry>).items).toMatchObject([
        { status: 'cancelled', source: 'client disconnected' },
      ]);
    }
  });

  it.each(['README.md', 'docs/which-role.md', 'docs/approvals.md', 'docs/streaming.md', 'docs/audit.md'])(
    '%s links to files that exist',
    async (file) => {
      const place = new URL(`../../${file}`, import.meta.url);
      const links = [...(await readFile(place, 'utf8')).matchAll(/\]\(((?!http)[^)#]+)\)/g)].map(
        ([, link = '']) => link,
      );
      const broken = await Promise.all(
        links.map((link) =>
          readFile(new URL(link, place)).then(
            () => [],
            () => [link],
          ),
        ),
      );
      expect(broken.flat()).toEqual([]);
    },
  );

  it('lists every sentence that the scripted model understands, and every person', async () => {
    const text = (await readFile(README, 'utf8')).replace(/\s+/g, ' ');
    const { EXAMPLES } = await import('../../src/agent/scripted/sentences.js');
    const { DEMO_PRINCIPALS } = await import('../../src/auth/demo.principals.js');
    const missing = [...EXAMPLES, ...DEMO_PRINCIPALS.keys()].filter((name) => !text.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });
});

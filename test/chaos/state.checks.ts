import { sqlOn } from '../conformance/support/sql.js';
import { sealedEvidence } from '../support/sealed.evidence.js';
import type { Posted } from './counted.call.js';

/** A promise as a query for the rows that break it. `$1`: the processes that were killed. */
interface Promised {
  readonly broken: string;
  readonly rows: string;
}

// How often a call ran is what the tool's own table says, not what Gatehouse does.
const CALLS = `with call as (
    select a.*, (a.validated::json->>'n')::integer as n, (coalesce(a.edited_validated, a.validated)::json->>'amount')::integer as amount,
      r.status as run_status, $1::integer[] as killed,
      (select count(*) from chaos_count c where c.n = (a.validated::json->>'n')::integer) as ran
    from gatehouse.approval_request a join gatehouse.agent_run r on r.id = a.run_id),
  happened as (select approval_id, kind, count(*)::integer as times from gatehouse.approval_event group by approval_id, kind)`;

const times = (kind: string): string =>
  `coalesce((select times from happened h where h.approval_id = call.id and h.kind = '${kind}'), 0)`;

const of = (condition: string): string =>
  `${CALLS} select id || ' (n ' || n || ', ' || status || ', decision ' || coalesce(decision::text, 'none') || ', ran ' || ran || ', run '
    || run_status || ')' as what from call where ${condition}`;

const PROMISES: readonly Promised[] = [
  { broken: 'an approved call that is done did not run exactly once', rows: of(`status = 'done' and ran <> 1`) },
  {
    broken: 'an approved call is neither done nor unknown',
    rows: of(`decision and status not in ('done', 'unknown')`),
  },
  { broken: 'a call whose outcome is unknown ran more than once', rows: of(`status = 'unknown' and ran > 1`) },
  { broken: 'a call that nobody approved ran', rows: of('decision is not true and ran > 0') },
  {
    broken: 'what ran is not what was approved',
    rows: of('exists (select from chaos_count c where c.n = call.n and c.amount <> call.amount)'),
  },
  {
    broken: 'something ran that was never asked for',
    rows: `${CALLS} select n::text as what from chaos_count where n not in (select n from call)`,
  },
  { broken: 'a pending approval is orphaned', rows: of(`status = 'pending'`) },
  {
    broken: 'a call beside one that waited ran more than once',
    rows: `${CALLS} select n::text as what from chaos_note where cardinality($1::integer[]) >= 0 group by n having count(*) > 1`,
  },
  {
    broken: 'a call beside one that waited is on record as completed, and did not run',
    rows: `${CALLS} select o.id || ' ' || o.arguments_repr as what from gatehouse.operation o where o.tool_name = 'note' and o.status = 'completed'
      and not exists (select from chaos_note c where c.n = (o.arguments_repr::json->>'n')::integer)`,
  },
  {
    // A process that is lost right after it told a result has it told again by whoever goes on: in the same words.
    broken: 'a proposed call of a run that ended has not one record and one result in its stream',
    rows: `${CALLS}, said as (select e.run_id, e.event::json as event from gatehouse.run_event e join gatehouse.agent_run r on r.id = e.run_id
        where r.finished_at is not null)
      select p.run_id || ' ' || (p.event->>'toolName') as what from said p where p.event->>'type' = 'tool.start' and (1, 1) <> (
        (select count(*) from gatehouse.operation o where o.id::text = p.event->>'operationId'),
        (select count(distinct concat_ws(' ', s.event->>'status', s.event->>'content')) from said s where s.run_id = p.run_id and s.event->>'type' = 'tool.result' and s.event->>'toolCallId' = p.event->>'toolCallId'))`,
  },
  {
    broken: 'the events of a run have a gap, or do not end as the run does',
    rows: `${CALLS} select r.id || ' ' || r.status || ' ' || count(*) || ' of ' || r.last_seq as what from gatehouse.agent_run r
        join gatehouse.run_event e on e.run_id = r.id group by r.id
      having count(*) <> r.last_seq or max(e.seq) <> r.last_seq or r.status <> case (array_agg(e.event::json->>'type' order by e.seq desc))[1]
        when 'run.finished' then 'completed' when 'run.failed' then 'interrupted' when 'run.suspended' then 'suspended' else 'running' end`,
  },
  { broken: 'an approval is still under way', rows: of(`status in ('approved', 'executing')`) },
  { broken: 'a request is not in the evidence once', rows: of(`${times('requested')} <> 1`) },
  {
    broken: 'a decision is not in the evidence once',
    rows: of(`${times('decided')} <> (status <> 'pending')::integer`),
  },
  {
    broken: 'a vote is not in the evidence once, in its own words',
    rows: of(`${times('voted')} <> (decision is not null)::integer or decision is not null and 1 <> (
      select count(*) from gatehouse.approval_vote v join gatehouse.approval_event e on e.approval_id = v.approval_id and e.kind = 'voted'
        and e.principal_id = v.principal_id and e.status = case when v.approved then 'approved' else 'denied' end
      where v.approval_id = call.id and v.approved = call.decision and v.principal_id in ('bob', 'cat'))`),
  },
  {
    broken: 'a start is not claimed once',
    rows: of(`${times('claimed')} <> (status in ('done', 'unknown'))::integer`),
  },
  { broken: 'an outcome is not in the evidence once', rows: of(`${times('settled')} <> (status = 'done')::integer`) },
  {
    broken: 'a lost outcome is not in the evidence once',
    rows: of(`${times('lost')} <> (status = 'unknown')::integer`),
  },
  {
    broken: 'a finished run says something else of its call than the approval',
    rows: of(`run_status = 'completed' and (status, 1) not in (
      select case o.status when 'completed' then 'done' when 'denied' then 'denied' else o.status end, (select count(*) from gatehouse.operation p
        where p.id = call.operation_id) from gatehouse.operation o where o.id = call.operation_id)`),
  },
  {
    broken: 'a finished run has no single record of its call',
    rows: of(
      `run_status <> 'suspended' and 1 <> (select count(*) from gatehouse.operation o where o.id = call.operation_id)`,
    ),
  },
  {
    broken: 'a call has several execution records',
    rows: of('1 < (select count(*) from gatehouse.tool_execution t where t.operation_id = call.operation_id)'),
  },
  {
    broken: 'a call that ran in a process nobody killed has no execution record',
    rows: of(`exists (select from chaos_count c where c.n = call.n and not c.pid = any(call.killed))
      and not exists (select from gatehouse.tool_execution t where t.operation_id = call.operation_id)`),
  },
  {
    broken: 'an execution is recorded of a call that did not run',
    rows: of('ran = 0 and exists (select from gatehouse.tool_execution t where t.operation_id = call.operation_id)'),
  },
  {
    broken: 'a run ended otherwise than completed or interrupted',
    rows: `${CALLS} select id || ' ' || status as what from gatehouse.agent_run where status not in ('completed', 'interrupted', 'suspended', 'running')`,
  },
  {
    broken: 'a run and its terminal record do not agree',
    rows: `${CALLS} select r.id || ' ' || r.status as what from gatehouse.agent_run r left join gatehouse.terminal_record t on t.run_id = r.id
      where t.status is distinct from case when r.status in ('running', 'suspended') then null else r.status end`,
  },
];

/** Every broken promise, with its rows. `killed`: the processes that were lost with whatever they had queued. */
export async function stateProblems(url: string, killed: readonly number[]): Promise<readonly string[]> {
  const found: string[] = [];
  await sealedEvidence((text) => sqlOn(url, text));
  for (const { broken, rows } of PROMISES) {
    for (const { what } of await sqlOn<{ what: string }>(url, rows, [killed])) found.push(`${broken}: ${what}`);
  }
  return found;
}

/** What a round was made of, by name. */
export type Tally = Readonly<Record<string, number>>;

export async function tallyOf(url: string, posted: readonly Posted[], kills: number): Promise<Tally> {
  const counts = await sqlOn<{ name: string; count: number }>(
    url,
    `select 'runs ' || status as name, count(*)::integer from gatehouse.agent_run group by 1
      union all select 'approvals ' || status, count(*)::integer from gatehouse.approval_request group by 1
      union all select 'ran', count(*)::integer from chaos_count
      union all select 'calls beside them ' || status, count(*)::integer from gatehouse.operation where tool_name = 'note' group by 1
      union all select 'events ' || kind, count(*)::integer from gatehouse.approval_event group by 1
      union all select 'unknown, and ran', count(*)::integer from gatehouse.approval_request a join chaos_count c
        on c.n = (a.validated::json->>'n')::integer where a.status = 'unknown' order by 1`,
  );
  const said = new Map<string, number>();
  for (const { answer, status } of posted) {
    const name = `${answer.kind} -> ${status}`;
    said.set(name, (said.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([
    ['kills', kills],
    ...counts.map(({ name, count }) => [name, count] as const),
    ...[...said].toSorted(),
  ]);
}

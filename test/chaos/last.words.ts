import type { ApprovalRequest } from 'nest-gatehouse';
import { sqlOn } from '../conformance/support/sql.js';
import type { Posted } from './counted.call.js';
import { BOB } from './people.js';
import type { ServerPair } from './server.pair.js';

/** Answers everything that still waits, yes and no in turns: what looks as if it waits must be able to go on. */
export async function lastWords(pair: ServerPair, url: string): Promise<readonly Posted[]> {
  const waiting = await sqlOn<{ id: string }>(
    url,
    `select id from gatehouse.approval_request where status = 'pending' order by id`,
  );
  const posted: Posted[] = [];
  for (const [at, { id }] of waiting.entries()) {
    const approved = at % 2 === 0;
    const { argumentsDigest } = JSON.parse((await pair.ask(at, BOB, 'GET', `approvals/${id}`)).body) as ApprovalRequest;
    const body = { approved, argumentsDigest };
    const { status, body: said } = await pair.ask(at, BOB, 'POST', `approvals/${id}/decision`, body);
    posted.push({ approvalId: id, answer: { kind: 'honest', by: BOB, server: at, approved }, status, body: said });
  }
  return posted;
}

/** An outcome that nobody saw is for a person to find: the inbox lists each. */
export async function listProblems(pair: ServerPair, url: string): Promise<readonly string[]> {
  const unknown = await sqlOn<{ id: string }>(
    url,
    `select id from gatehouse.approval_request where status = 'unknown'`,
  );
  const listed = new Set<string>();
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await pair.ask(0, BOB, 'GET', `approvals?status=unknown${from}`);
    const page = JSON.parse(body) as { readonly items: readonly { id: string }[]; readonly nextCursor?: string | null };
    for (const { id } of page.items) listed.add(id);
    cursor = page.nextCursor ?? undefined;
  }
  return unknown.filter(({ id }) => !listed.has(id)).map(({ id }) => `approval ${id} is unknown, and not listed so`);
}

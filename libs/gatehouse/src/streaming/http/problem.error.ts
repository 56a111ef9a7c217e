import { brand, GatehouseError } from '../../contracts/errors/gatehouse.error.js';

/** A request that is refused before anything happens, as RFC 9457 problem details say it. The message is for the client. */
@brand('ProblemError')
export class ProblemError extends GatehouseError {
  constructor(
    readonly status: number,
    /** Stable, snake case; for programs. */
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** 400: the field (a path such as `resume[0].status`) and the rule it breaks. Never its value. */
export const badField = (field: string, rule: string): ProblemError =>
  new ProblemError(400, 'invalid_request', `${field} ${rule}.`);

/** 404: there is none, or none that this principal may see. The two read the same. */
export const notFound = (what: 'run' | 'thread' | 'approval' | 'agent' | 'audit'): ProblemError =>
  new ProblemError(404, `${what}_not_found`, what === 'audit' ? 'There is nothing here.' : `There is no such ${what}.`);

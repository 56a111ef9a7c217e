import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

import type { HttpRequest } from './http.request.js';
import { ProblemError } from './problem.error.js';

/**
 * In front of every route that changes something: what a foreign page can send without asking first (a form, a cross-site fetch) is refused,
 * however the caller is authenticated.
 */
@Injectable()
export class StateChangeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<HttpRequest>();
    if (headers['sec-fetch-site'] === 'cross-site') {
      throw new ProblemError(403, 'cross_site', 'Requests from other sites may not change anything here.');
    }
    if (mediaType(headers['content-type']) !== 'application/json') {
      throw new ProblemError(415, 'unsupported_media_type', 'Send application/json.');
    }
    return true;
  }
}

const mediaType = (header: string | undefined): string | undefined => header?.split(';', 1)[0]?.trim().toLowerCase();

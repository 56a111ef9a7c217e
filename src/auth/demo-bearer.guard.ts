import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from 'nest-gatehouse';
import { DEMO_PRINCIPALS } from './demo.principals.js';

/** DEMO ONLY: `Authorization: Bearer support` makes you `support`. Put your own authentication here; it only has to set `request.user`. */
@Injectable()
export class DemoBearerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const user = DEMO_PRINCIPALS.get(token);
    if (user === undefined) {
      throw new UnauthorizedException(`Send 'Authorization: Bearer <name>' with one of ${names()}.`);
    }
    request.user = user;
    return true;
  }
}

const names = (): string => [...DEMO_PRINCIPALS.keys()].join(', ');

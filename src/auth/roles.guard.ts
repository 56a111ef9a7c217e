import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Principal } from 'nest-gatehouse';
import { ROLES_METADATA } from './roles.decorator.js';

/**
 * The roles guard of every Nest tutorial. It works on tools as it does on routes: argument 0 of the context is the request there and the
 * `ToolCall` here, and both carry the `user`. What a model says never comes near it.
 */
@Injectable()
export class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const wanted = this.reflector.getAllAndOverride<readonly string[] | undefined>(ROLES_METADATA, targets);
    if (wanted === undefined) return true;
    const { user } = context.switchToHttp().getRequest<{ readonly user?: Principal }>();
    return wanted.some((role) => user?.roles?.includes(role) ?? false);
  }
}

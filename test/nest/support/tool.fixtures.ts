import { Injectable, SetMetadata, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { IsString } from 'class-validator';
import { z } from 'zod';
import { Tool } from './tools.room.js';

export const Roles = (...roles: string[]) => SetMetadata('roles', roles);

/** As guards for HTTP are written: the request is argument 0. */
@Injectable()
export class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext) {
    const wanted = this.reflector.getAllAndOverride<string[]>('roles', [context.getHandler(), context.getClass()]);
    const { user } = context.switchToHttp().getRequest<{ user?: { roles?: string[] } }>();
    return wanted.some((role) => user?.roles?.includes(role));
  }
}

export const anything = z.looseObject({});

@Injectable()
export class Admin {
  @Tool({ description: 'wipe', parameters: anything })
  @Roles('admin')
  @UseGuards(RolesGuard)
  wipe() {
    return 'wiped';
  }
}

export class Note {
  @IsString()
  text!: string;
}

/** Gives its text back, and whether it got a real `Note`. */
@Injectable()
export class Notes {
  @Tool('Write a note')
  write(note: Note) {
    return [note instanceof Note, note.text];
  }
}

import { SetMetadata } from '@nestjs/common';

export const ROLES_METADATA = 'desk:roles';

/** Any of these roles may. */
export const Roles = (...roles: readonly string[]): MethodDecorator & ClassDecorator =>
  SetMetadata(ROLES_METADATA, roles);

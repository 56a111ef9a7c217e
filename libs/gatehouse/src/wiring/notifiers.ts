import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NoticeDelivery } from '../approvals/notices/notice.delivery.js';
import type { ApprovalListener } from '../contracts/approval.listener.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { RoleExplorer } from '../operations/roles/role.explorer.js';

/** Finds the notifiers of every module, and has them told. */
@Injectable()
export class Notifiers implements OnApplicationBootstrap {
  constructor(
    private readonly explorer: RoleExplorer,
    private readonly delivery: NoticeDelivery,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const notifiers = new Map<string, ApprovalListener>();
    for (const { name: className, role } of this.explorer.find('notifiers')) {
      const name = role.name ?? className;
      if (notifiers.has(name)) throw namedTwice(name);
      notifiers.set(name, role);
    }
    await this.delivery.start(notifiers);
  }
}

const namedTwice = (name: string): ConfigurationError =>
  new ConfigurationError(
    `Two notifiers are named '${name}', and what each was told is kept by name: give each a name of its own (its property 'name').`,
  );

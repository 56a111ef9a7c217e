import { Inject, Optional, UseFilters, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { AccessPolicy } from '../../contracts/ports/access.policy.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { Access } from '../access.js';
import { ProblemFilter } from './problem.filter.js';

/** What our controllers share. Everything is injected into properties, so that a subclass's constructor is its own. */
@UseFilters(ProblemFilter)
export abstract class MountedController implements OnModuleInit {
  @Optional()
  @Inject(AccessPolicy)
  private readonly policy?: AccessPolicy;

  @Inject(ModuleRef)
  private readonly modules!: ModuleRef;

  protected reader!: RunReader;
  protected access!: Access;

  /** A subclass that overrides this calls it. Fails the boot where nobody provided an `AccessPolicy`. */
  onModuleInit(): void {
    if (this.policy === undefined) throw noPolicy(this.constructor.name);
    this.access = new Access(this.policy);
    // The module exports no store, which an app could write to: this is the one thing of it that its controllers read.
    this.reader = this.modules.get(RunReader, { strict: false });
  }
}

const noPolicy = (controller: string): ConfigurationError =>
  new ConfigurationError(
    `${controller} is mounted, but no AccessPolicy is provided: nobody could say who may see or do what. Write a class that extends AccessPolicy and add ` +
      `{ provide: AccessPolicy, useClass: MyPolicy } to the providers of the module that declares ${controller}, or to a global module.`,
  );

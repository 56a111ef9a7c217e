import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';

const { version } = createRequire(import.meta.url)('@nestjs/core/package.json') as { version: string };
const major = Number(version.split('.')[0]);

@Injectable()
class Clock {}

@Injectable()
class Desk {
  constructor(
    readonly clock: Clock,
    readonly modules: ModuleRef,
  ) {}
}

describe('the Nest this run is about', () => {
  it('is the major that the runner named', () => {
    expect(major).toBe(Number(process.env['NEST_MAJOR'] ?? 12));
  });

  it('boots a module and injects by the types of the constructor', async () => {
    const module = await Test.createTestingModule({ providers: [Clock, Desk] }).compile();
    const desk = module.get(Desk);
    expect(desk.clock).toBe(module.get(Clock));
    expect(desk.modules).toBeInstanceOf(ModuleRef);
    await module.close();
  });

  it('loads @nestjs/typeorm against it', () => {
    expect([typeof TypeOrmModule.forRoot, typeof InjectDataSource]).toEqual(['function', 'function']);
  });
});

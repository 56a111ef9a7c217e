import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GatehouseModule, Tool, ToolExecutor, ToolRegistry } from 'nest-gatehouse';

class OrderTools {
  lookup(args) {
    return { order: args.order, state: 'paid' };
  }
}
Injectable()(OrderTools);
const parameters = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
const lookup = Object.getOwnPropertyDescriptor(OrderTools.prototype, 'lookup');
Tool({ description: 'Look up one order', parameters })(OrderTools.prototype, 'lookup', lookup);

class AppModule {}
Module({ imports: [GatehouseModule.forRoot()], providers: [OrderTools] })(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const names = app
  .get(ToolRegistry, { strict: false })
  .list()
  .map((tool) => tool.name);
const result = await app.get(ToolExecutor, { strict: false }).call('lookup', { order: 'A1' });
console.log('OK', JSON.stringify(names), JSON.stringify(result));
await app.close();

'use strict';

require('reflect-metadata');
const { Injectable, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { GatehouseModule, Tool, ToolExecutor, ToolRegistry } = require('nest-gatehouse');

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

async function main() {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const names = app
    .get(ToolRegistry, { strict: false })
    .list()
    .map((tool) => tool.name);
  const result = await app.get(ToolExecutor, { strict: false }).call('lookup', { order: 'A1' });
  console.log('OK', JSON.stringify(names), JSON.stringify(result));
  await app.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

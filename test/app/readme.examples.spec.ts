import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What a reader of the examples has: the imports, and the classes of their own application. */
const AROUND = `
import { Controller, Injectable, Module, UseGuards, type CanActivate } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { openai } from '@ai-sdk/openai';
import { IsInt } from 'class-validator';
import { AccessPolicy, Agent, ApprovalController, Decide, DestructiveTool, GatehouseModule, Inspector, RequireApproval, RunController, Tool, ToolCall,
  type OperationInspector, type OperationRequest } from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';
class LookupDto { @IsInt() order!: number; }
class RefundDto extends LookupDto { @IsInt() amount!: number; }
class RefundOrderDto extends RefundDto {}
class OrdersService { get(order: number) { return { order }; } refund(args: RefundDto, options: { idempotencyKey: string }) { return { ...args, ...options }; } }
class JwtGuard implements CanActivate { canActivate() { return true; } }
class MyAccessPolicy extends AccessPolicy { override can() { return true; } }
const isNight = () => false;
export { OrdersService, RefundOrderDto };
`;

const AFTER = '\nexport { AppModule };\n';

/** The compiler's problems with each text, as if it stood in a file beside this one. The slow part is shared: one program for all of them. */
function problemsOf(texts: readonly string[]): readonly (readonly string[])[] {
  const files = new Map(texts.map((text, at) => [`${ROOT}test/app/readme.example.${at}.ts`, AROUND + text + AFTER]));
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, target, ...rest) : ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map((name) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
}

const examplesOf = async (file: string): Promise<string> => {
  const text = await readFile(`${ROOT}${file}`, 'utf8');
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(0);
  // The one ellipsis: where a reader's own connection goes.
  return blocks.join('\n').replace('forRoot({ …, ', "forRoot({ type: 'postgres', ");
};

it('the examples of the README compile as printed, and a wrong one would be noticed', async () => {
  const examples = await examplesOf('README.md');
  const [right, wrong] = problemsOf([examples, examples.replace('args.order', 'args.ordre')]);
  expect(right).toEqual([]);
  expect(wrong).toEqual(["Property 'ordre' does not exist on type 'LookupDto'. Did you mean 'order'?"]);
}, 120_000);

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The compiler's problems with each text, as if it stood in a file beside this one. The slow part is shared: one program for all of them. */
export function problemsOf(texts: readonly string[]): readonly (readonly string[])[] {
  const files = new Map(texts.map((text, at) => [`${ROOT}test/support/typed.example.${at}.ts`, text]));
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

/** The TypeScript blocks of a document, in order; a document without any is a failure. */
export async function examplesOf(file: string): Promise<string> {
  const text = await readFile(`${ROOT}${file}`, 'utf8');
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.join('\n');
}

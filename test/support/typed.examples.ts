import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The compiler's problems with each text, as if it stood in a file beside this one. The slow part is shared: one program for all of them, which knows the
 * modules of `declarations` (paths in this repository) too.
 */
export function problemsOf(
  texts: readonly string[],
  declarations: readonly string[] = [],
): readonly (readonly string[])[] {
  const files = new Map(texts.map((text, at) => [`${ROOT}test/support/typed.example.${at}.tsx`, text]));
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path)) as { config: object };
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const options = { ...parsed.options, jsx: ts.JsxEmit.ReactJSX };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, target, ...rest) : ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram([...files.keys(), ...declarations.map((path) => ROOT + path)], options, host);
  return [...files.keys()].map((name) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
}

/** The blocks of a document in that language, in order; a document without any is a failure. */
export async function blocksOf(file: string, language: 'ts' | 'tsx'): Promise<readonly string[]> {
  const text = await readFile(`${ROOT}${file}`, 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
  expect(blocks.length).toBeGreaterThan(0);
  return blocks;
}

/** The TypeScript blocks of a document as one text. */
export const examplesOf = async (file: string): Promise<string> => (await blocksOf(file, 'ts')).join('\n');

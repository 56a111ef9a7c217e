import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const repository = resolve(import.meta.dirname, '../..');
const modules = join(repository, 'node_modules');
const execute = promisify(execFile);

interface Manifest {
  readonly bin: { readonly gatehouse: string };
  readonly exports: Record<string, unknown>;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { readonly optional?: boolean }>;
}

/** The library built, packed as for the registry, and unpacked into empty applications. Touches nothing of the repository. */
export class PackedLibrary {
  private constructor(
    private readonly home: string,
    private readonly tarball: string,
    readonly folder: string,
    readonly manifest: Manifest,
  ) {}

  static async build(): Promise<PackedLibrary> {
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-pack-'));
    const folder = join(home, 'library');
    await mkdir(folder);
    for (const file of ['package.json', 'LICENSE']) await copyFile(join(repository, file), join(folder, file));
    const compiler = join(modules, 'typescript', 'bin', 'tsc');
    const build = ['-p', join(repository, 'tsconfig.lib.json'), '--outDir', join(folder, 'dist')];
    await run(process.execPath, [compiler, ...build], repository);
    const output = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', home], folder);
    const [packed] = JSON.parse(output) as [{ filename: string }];
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
    return new PackedLibrary(home, join(home, packed.filename), folder, manifest);
  }

  get requiredPeers(): string[] {
    const { peerDependencies, peerDependenciesMeta } = this.manifest;
    return Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  }

  get allPeers(): string[] {
    return Object.keys(this.manifest.peerDependencies);
  }

  /** An application that has the unpacked library, its dependencies and these peers; nothing else can be resolved from it. */
  async install(name: string, peers: readonly string[]): Promise<string> {
    const application = join(this.home, name);
    const library = join(application, 'node_modules', 'nest-gatehouse');
    await mkdir(library, { recursive: true });
    await run('tar', ['-xzf', this.tarball, '-C', library, '--strip-components', '1'], this.home);
    for (const dependency of [...Object.keys(this.manifest.dependencies), ...peers]) {
      const link = join(application, 'node_modules', dependency);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(modules, dependency), link);
    }
    return application;
  }

  /** Copies the program beside this file into the application, runs it there, and returns what it printed. */
  async play(application: string, program: string, args: readonly string[] = []): Promise<string> {
    const target = join(application, program);
    await copyFile(join(import.meta.dirname, 'apps', program), target);
    return run(process.execPath, ['--disable-warning=ExperimentalWarning', target, ...args], application);
  }

  /** Runs the package's own command in the application: how it exits, and what it says. */
  async command(
    application: string,
    ...args: readonly string[]
  ): Promise<{ readonly exit: number; readonly said: string }> {
    const program = join(application, 'node_modules', 'nest-gatehouse', this.manifest.bin.gatehouse);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: application,
      env: shell(),
      encoding: 'utf8',
    });
    return { exit: status ?? -1, said: `${stdout}${stderr}`.trim() };
  }

  async remove(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Jest's NODE_OPTIONS and test variables are not what a user's shell has. */
const shell = () => ({ PATH: process.env['PATH'], HOME: process.env['HOME'] });

/** What the command printed; a failure carries all that it said, which is the only way to see why. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await execute(command, [...args], { cwd, env: shell(), maxBuffer: 16 * 1024 * 1024 });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import {
  argumentOf,
  type Dockerfile,
  type Instruction,
  NotUnderstood,
  pairsOf,
  type Stage,
  withVariables,
} from '../dockerfile/dockerfile';
import { contextFiles } from './build-context';

/** The only place of a build that survives it: npm's own cache, that of this machine here. */
const NPM_CACHE = 'type=cache,target=/root/.npm';
/** Of one command: npm on a slow line. */
const RUN_LIMIT_MS = 300_000;
/** What a command needs of this machine to find programs and the registry. */
const OF_THIS_MACHINE = ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS', 'http_proxy', 'https_proxy', 'no_proxy'];

export interface Performance {
  /** The checkout. */
  context: string;
  /** Where the stages get a folder each, which stands for their root. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Told of what takes time, before it is performed. */
  onStep: (step: string) => void;
  /** How long one command may take. Default: five minutes. */
  runLimitMs?: number;
}

/** Performs stages without an engine: images below them are empty folders, commands run with the programs of this machine. */
export class Stages {
  private readonly performed = new Map<string, Promise<string>>();
  /** By folder of a stage: where it has ended, which is where one above it goes on. */
  private readonly workdirs = new Map<string, string>();

  constructor(
    private readonly file: Dockerfile,
    private readonly performance: Performance,
  ) {}

  /**
   * @param given build arguments
   * @returns the folder of the stage; the same for the same arguments
   * @throws NotUnderstood for what it cannot perform, Error when a command fails
   */
  perform(name: string, given: Readonly<Record<string, string>>): Promise<string> {
    const stage = this.file.stages.find((each) => each.name === name);
    if (!stage) throw new Error(`The Dockerfile has no stage ${name}.`);
    const declared = stage.instructions.filter((each) => each.name === 'ARG');
    const args = Object.assign({}, ...declared.map((each) => argumentOf(each, given, this.file.args))) as object;
    const values = Object.values(args).map((value) => String(value).replace(/\W+/g, '-'));
    const key = [name, ...values].join('-');
    const known = this.performed.get(key) ?? this.build(stage, given, join(this.performance.folder, key));
    this.performed.set(key, known);
    return known;
  }

  private async build(stage: Stage, given: Readonly<Record<string, string>>, root: string): Promise<string> {
    const isStage = this.file.stages.some(({ name }) => name === stage.base);
    const below = isStage ? await this.perform(stage.base, given) : undefined;
    if (below === undefined) await mkdir(root, { recursive: true });
    else await linkedCopy(below, root);
    const state = { workdir: this.workdirs.get(below ?? '') ?? '/', variables: {} as Record<string, string>, user: '' };
    for (const instruction of stage.instructions) {
      const { name, line, text } = instruction;
      if (name === 'COPY' || name === 'RUN') this.performance.onStep(`${stage.name}: ${name} ${text}`);
      if (name === 'ARG') Object.assign(state.variables, argumentOf(instruction, given, this.file.args));
      if (name === 'ENV') Object.assign(state.variables, pairsOf(instruction, state.variables));
      if (name === 'USER') state.user = text;
      if (name === 'WORKDIR') {
        state.workdir = posix.resolve(state.workdir, withVariables(text, state.variables, line));
        await mkdir(join(root, state.workdir), { recursive: true });
      }
      if (name === 'COPY') await this.copy(instruction, { root, given, ...state });
      if (name === 'RUN') {
        if (state.user !== '') throw new NotUnderstood(line, 'RUN after USER is not known here.');
        const depth = state.workdir.split('/').filter(Boolean).length;
        await this.run(instruction, { cwd: join(root, state.workdir), depth }, state.variables);
      }
    }
    this.workdirs.set(root, state.workdir);
    return root;
  }

  private async copy(
    { line, flags, text }: Instruction,
    into: {
      root: string;
      workdir: string;
      variables: Readonly<Record<string, string>>;
      given: Readonly<Record<string, string>>;
    },
  ): Promise<void> {
    const [source, written, ...more] = withVariables(text, into.variables, line).split(' ');
    if (!source || !written || more.length > 0) throw new NotUnderstood(line, 'COPY has one source and one target.');
    const target = join(into.root, posix.resolve(into.workdir, written));
    if (flags.from === undefined) {
      if (source !== '.') throw new NotUnderstood(line, 'COPY takes the checkout as a whole: COPY . <target>.');
      const { context } = this.performance;
      for (const file of contextFiles(context)) await cp(join(context, file), join(target, file));
      return;
    }
    const from = join(await this.perform(flags.from, into.given), posix.resolve('/', source));
    if (!existsSync(from)) throw new Error(`Dockerfile line ${line}: ${flags.from} has no ${source}.`);
    const isFolder = (await stat(from)).isDirectory();
    const place = !isFolder && written.endsWith('/') ? join(target, posix.basename(source)) : target;
    await mkdir(dirname(place), { recursive: true });
    await cp(from, place, { recursive: true, verbatimSymlinks: true });
  }

  private async run(
    { line, flags, text }: Instruction,
    { cwd, depth }: { cwd: string; depth: number },
    variables: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (flags.mount !== undefined && flags.mount !== NPM_CACHE) {
      throw new NotUnderstood(line, `RUN --mount=${flags.mount} is not known here: only ${NPM_CACHE}.`);
    }
    const levels = [...text.matchAll(/(?:\.\.\/)+/g)].map(([up]) => up.length / '../'.length);
    if (/(^|[\s=:<>'"])\//.test(text) || Math.max(0, ...levels) > depth) {
      throw new NotUnderstood(line, 'RUN names a path outside of the stage, which here would be one of this machine.');
    }
    const kept = OF_THIS_MACHINE.map((name) => [name, this.performance.env[name]]);
    const env = { ...Object.fromEntries(kept), ...variables } as NodeJS.ProcessEnv;
    const { runLimitMs = RUN_LIMIT_MS } = this.performance;
    const limit = { timeout: runLimitMs, killSignal: 'SIGKILL' } as const;
    const child = spawn('sh', ['-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...limit });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) return;
    const lines = said.join('').trimEnd().split('\n').slice(-20);
    const end = code === null ? `did not end within ${runLimitMs / 1_000} s` : `ended with ${code}`;
    throw new Error(`Dockerfile line ${line}: "${text}" ${end}.\n${lines.join('\n')}`);
  }
}

/** A copy that shares its files: stages add files, and change none of the stage below. */
async function linkedCopy(from: string, to: string): Promise<void> {
  const [code] = (await once(spawn('cp', ['-al', from, to], { stdio: 'inherit' }), 'close')) as [number | null];
  if (code !== 0) throw new Error(`The folder ${from} could not be copied to ${to}.`);
}

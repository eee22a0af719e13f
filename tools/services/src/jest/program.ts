import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { productionAllocator, productionNodeOptions } from '../programs/production-options';
import { END_WITH_PARENT, programArguments, ROOT } from './of-the-run';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 20;
/** Loaded by `--require`, a child that has a channel to its parent ends with it. */
const WITH_PARENT = ['--require', END_WITH_PARENT];

const running = new Set<Program>();

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface ProgramOptions {
  env?: NodeJS.ProcessEnv;
  /** Default: the root folder. */
  cwd?: string;
  /** Takes what it prints, after what is there. Default: it stays in memory. */
  outputFile?: string;
}

/** A program of the workspace in a process of its own, with no environment but the one given. */
export class Program {
  readonly exit: Promise<Exit>;
  private readonly child: ChildProcess;
  private printed = '';
  private readonly printedBefore: number = 0;

  private constructor(
    [program, ...args]: readonly [string, ...string[]],
    private readonly options: ProgramOptions,
  ) {
    const { env, cwd = ROOT, outputFile } = options;
    const { PATH, HOME, TMPDIR } = process.env;
    const output = outputFile === undefined ? 'pipe' : openSync(outputFile, 'a');
    if (outputFile !== undefined) this.printedBefore = readFileSync(outputFile).length;
    this.child = spawn(program, args, {
      cwd,
      env: { PATH, HOME, TMPDIR, ...env },
      stdio: ['ignore', output, output, 'ipc'],
      // One of many is out of reach of the terminal's Ctrl-C: who has started them ends them in order.
      detached: outputFile !== undefined,
    });
    if (typeof output === 'number') closeSync(output);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
    }
    running.add(this);
    this.exit = once(this.child, 'close').then(([code, signal]: unknown[]) => {
      running.delete(this);
      return { code, signal } as Exit;
    });
  }

  /** @param entry file of the program, from the root folder @param cwd this checkout, or another one */
  static start(entry: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = [], cwd = ROOT): Program {
    return new Program([process.execPath, ...WITH_PARENT, ...programArguments(entry, cwd), ...args], { env, cwd });
  }

  /**
   * JavaScript of a build, as it runs in production.
   * @param app the service whose requests it answers, for the options of Node that this has
   */
  static built(
    script: string,
    { env, app, outputFile }: { env: NodeJS.ProcessEnv; app: string | undefined; outputFile: string },
  ): Program {
    return new Program([process.execPath, ...productionNodeOptions(app), ...WITH_PARENT, script], {
      env: { ...productionAllocator(), ...env },
      outputFile,
    });
  }

  /** A service, with free ports. */
  static service(entry: string, env: NodeJS.ProcessEnv): Program {
    return Program.start(entry, { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0', ...env });
  }

  /** The program behind `npm run <script>`, or `npm start`. */
  static script(name: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Program {
    return Program.start(scripts[name]!.split(' ').at(-1)!, env, args);
  }

  /** The same run by npm, which stands between. */
  static npmScript(name: string, env: NodeJS.ProcessEnv = {}): Program {
    return new Program(['npm', 'run', name], { env });
  }

  /** Both streams, as they came. */
  get output(): string {
    const { outputFile } = this.options;
    if (outputFile === undefined) return this.printed;
    return readFileSync(outputFile).subarray(this.printedBefore).toString();
  }

  /** The members of the program's line `{"ready": true, …}`. */
  async ready(withinMs?: number): Promise<{ url: string; internalUrl: string }> {
    const line = await this.prints(/^\{"ready":\s*true.*\}$/m, withinMs);
    return JSON.parse(line[0]) as { url: string; internalUrl: string };
  }

  /** Waits until the output so far matches. @throws Error with the output when the program ends or takes too long */
  async prints(pattern: RegExp, withinMs = READY_LIMIT_MS): Promise<RegExpExecArray> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const isLast = !running.has(this) || performance.now() > deadline;
      const match = pattern.exec(this.output);
      if (match) return match;
      if (isLast) throw new Error(`It never printed ${String(pattern)}. It printed:\n${this.output}`);
      await sleep(POLL_MS);
    }
  }

  get isRunning(): boolean {
    return running.has(this);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Ids of its process and of all that it has started. */
  processes(): number[] {
    return familyOf(this.pid);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends it as an operator would, by force when it does not follow. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    const forced = setTimeout(() => this.kill('SIGKILL'), STOP_LIMIT_MS);
    this.kill(signal);
    const exit = await this.exit;
    clearTimeout(forced);
    return exit;
  }
}

/** A process and its descendants, by `/proc`. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** For `afterAll`: nothing that a suite started outlives it. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop()));
}

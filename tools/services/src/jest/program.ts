import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { END_WITH_PARENT, programArguments } from './of-the-run';

const ROOT = join(__dirname, '../../../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** Compiles a program where its sources have changed, and runs it. */
export const START = 'tools/services/programs/start.js';
const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 20;

const running = new Set<Program>();

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program of the workspace that a test runs in a process of its own, with no environment but the one given. */
export class Program {
  /** Both streams, as they came. */
  output = '';
  readonly exit: Promise<Exit>;
  private readonly child: ChildProcess;

  private constructor([program, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv, cwd = ROOT) {
    const { PATH, HOME, TMPDIR } = process.env;
    this.child = spawn(program, args, {
      cwd,
      env: { PATH, HOME, TMPDIR, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    running.add(this);
    this.exit = once(this.child, 'close').then(([code, signal]: unknown[]) => {
      running.delete(this);
      return { code, signal } as Exit;
    });
  }

  /** @param entry file of the program, from the root folder; compiled where this run has compiled it */
  static start(entry: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Program {
    return new Program([process.execPath, '--require', END_WITH_PARENT, ...programArguments(entry), ...args], env);
  }

  /** As `npm start` runs it: compiled for itself. @param cwd this checkout, or another one */
  static started(entry: string, env: NodeJS.ProcessEnv, cwd = ROOT): Program {
    return new Program([process.execPath, '--require', END_WITH_PARENT, join(cwd, START), entry], env, cwd);
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
    return new Program(['npm', 'run', name], env);
  }

  /** The members of the program's line `{"ready": true, …}`. */
  async ready(): Promise<{ url: string; internalUrl: string }> {
    const line = await this.prints(/^\{"ready":\s*true.*\}$/m);
    return JSON.parse(line[0]) as { url: string; internalUrl: string };
  }

  /** Waits until the output so far matches. @throws Error with the output when the program ends or takes too long */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    let ended = false;
    void this.exit.then(() => (ended = true));
    const deadline = performance.now() + READY_LIMIT_MS;
    for (;;) {
      const isLast = ended || performance.now() > deadline;
      const match = pattern.exec(this.output);
      if (match) return match;
      if (isLast) throw new Error(`It never printed ${String(pattern)}. It printed:\n${this.output}`);
      await sleep(POLL_MS);
    }
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
  async stop(): Promise<Exit> {
    const forced = setTimeout(() => this.kill('SIGKILL'), STOP_LIMIT_MS);
    this.kill('SIGTERM');
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

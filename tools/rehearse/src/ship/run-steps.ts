import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from './steps';

const TOLD_EVERY_MS = 60_000;
const LAST_LINES = 20;
/** A cluster is built and started; and the line that says so. */
const SURROUNDING_WITHIN_MS = 300_000;
const SURROUNDING_READY = 'Evenkeel runs at';

export interface StepOptions {
  /** Of package.json. */
  root: string;
  /** Takes the output of each step. */
  outputFolder: string;
  env: NodeJS.ProcessEnv;
  report: (line: string) => void;
}

export type Verdict = 'holds' | 'FAILED' | 'nothing yet';

export interface StepResult {
  name: string;
  verdict: Verdict;
  seconds: number;
}

/** Runs each to its end, also when one before it has failed. */
export async function runSteps(steps: readonly Step[], options: StepOptions): Promise<StepResult[]> {
  mkdirSync(options.outputFolder, { recursive: true });
  const results: StepResult[] = [];
  for (const [number, step] of steps.entries()) {
    options.report(`${number + 1} of ${steps.length}: ${step.name}, ${step.about}`);
    const begun = performance.now();
    const verdict = await runStep(step, options);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    results.push({ name: step.name, verdict, seconds });
    options.report(`${step.name}: ${verdict}, after ${minutes(seconds)}`);
  }
  return results;
}

/** Those that package.json has no script for. @param scripts by their names */
export function withoutScript(steps: readonly Step[], scripts: Readonly<Record<string, string>>): Step[] {
  return steps.filter(({ script, against = script }) => !(script in scripts && against in scripts));
}

/** Minutes and seconds: `3:07`. */
export function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

async function runStep(step: Step, options: StepOptions): Promise<Verdict> {
  const { report } = options;
  const surrounding = step.against && new Script({ ...step, script: step.against, args: [] }, options, 'against');
  try {
    if (surrounding && !(await surrounding.says(SURROUNDING_READY))) {
      report(`${step.against} did not start. Its last lines:\n${surrounding.lastLines}`);
      return 'FAILED';
    }
    const script = new Script(step, options);
    const telling = setInterval(() => report(`  … ${script.lastLine}`), TOLD_EVERY_MS);
    const code = await script.exit.finally(() => clearInterval(telling));
    if (code === 0) return 'holds';
    report(`It ended with ${code}. Its last lines, of ${script.file}:\n${script.lastLines}`);
    return code !== null && code === step.nothingYet ? 'nothing yet' : 'FAILED';
  } finally {
    await surrounding?.stop();
  }
}

/** A script of package.json that runs, and what it has printed. */
class Script {
  readonly exit: Promise<number | null>;
  readonly file: string;
  private readonly child: ChildProcess;
  private output = '';
  private ended = false;

  constructor({ name, script, args = [] }: Step, { root, outputFolder, env }: StepOptions, suffix = '') {
    this.file = join(outputFolder, `${name}${suffix && `-${suffix}`}.log`);
    writeFileSync(this.file, '');
    const all = ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])];
    // A group of its own: npm passes no signal on.
    this.child = spawn('npm', all, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        appendFileSync(this.file, text);
      });
    }
    this.exit = once(this.child, 'close').then(([code]: (number | null)[]) => {
      this.ended = true;
      return code ?? null;
    });
  }

  get lastLines(): string {
    return this.output.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  }

  get lastLine(): string {
    return this.output.trimEnd().split('\n').at(-1)!;
  }

  /** @returns false when it ends, or too much time passes, without saying it */
  async says(words: string): Promise<boolean> {
    const deadline = performance.now() + SURROUNDING_WITHIN_MS;
    while (!this.output.includes(words)) {
      if (this.ended || performance.now() > deadline) return false;
      await sleep(100);
    }
    return true;
  }

  async stop(): Promise<void> {
    if (!this.ended) process.kill(-this.child.pid!, 'SIGINT');
    await this.exit;
  }
}

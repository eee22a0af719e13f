import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { built } from './built';
import { cpuMsOf, residentMb } from './process-usage';
import { StartStage } from './start-stage';

/** The start of PostgreSQL asks some. */
const SYSTEM_PROGRAMS = '/usr/local/bin:/usr/bin:/bin';
const ROOT = join(__dirname, '../../..');

export interface StartTiming {
  /** `billing worker`, or the command. */
  program: string;
  /** From the start of the process until it answers; median. */
  startSeconds: number;
  /** User and system time of the process until then; null where there is no /proc. */
  cpuSeconds: number | null;
  /** Resident memory then; null where there is no /proc. */
  residentMb: number | null;
}

/** How long each program takes to answer, and what it holds then: services from `dist`, the product from `dist` and from source. */
export async function benchProcesses(rounds: number): Promise<StartTiming[]> {
  const stage = await StartStage.set();
  const timings: StartTiming[] = [];
  try {
    for (const program of stage.programs) {
      const starts = await repeated(rounds, async () => {
        const began = performance.now();
        const child = await stage.run(program);
        const measured = measure(child.pid, began);
        await child.stop();
        return measured;
      });
      timings.push(medianOf(program.name, starts));
    }
  } finally {
    await stage.close();
  }
  const standalone = await built('@evenkeel/standalone', 'main');
  timings.push(await timeProduct('standalone, from dist', [standalone], rounds));
  const source = join(ROOT, 'tools/services/programs/start.js');
  timings.push(await timeProduct('npm start, from source', [source, 'apps/standalone/src/main.ts'], rounds));
  return timings;
}

type Measured = Omit<StartTiming, 'program'>;

function measure(pid: number, began: number): Measured {
  const startSeconds = (performance.now() - began) / 1_000;
  const cpuMs = cpuMsOf(pid);
  return { startSeconds, cpuSeconds: cpuMs === null ? null : cpuMs / 1_000, residentMb: residentMb(pid) };
}

async function repeated(rounds: number, start: () => Promise<Measured>): Promise<Measured[]> {
  // What the first start compiles, later ones find; so it is for who starts it every day.
  await start();
  const starts: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await start());
  return starts;
}

function medianOf(program: string, starts: readonly Measured[]): StartTiming {
  const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
  const known = (values: readonly (number | null)[]): number | null =>
    values.includes(null) ? null : median(values as number[]);
  return {
    program,
    startSeconds: median(starts.map(({ startSeconds }) => startSeconds)),
    cpuSeconds: known(starts.map(({ cpuSeconds }) => cpuSeconds)),
    residentMb: known(starts.map((start) => start.residentMb)),
  };
}

/** The whole product with data of its own, which the first start makes. */
async function timeProduct(name: string, args: readonly string[], rounds: number): Promise<StartTiming> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  chmodSync(folder, 0o711);
  const ports = { PORT: '0', INTERNAL_PORT: '0', FACILITATOR_PORT: '0' };
  const env = { PATH: SYSTEM_PROGRAMS, HOME: homedir(), DATA_DIR: join(folder, 'data'), ...ports };
  try {
    const starts = await repeated(rounds, async () => {
      const began = performance.now();
      const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
      for await (const line of createInterface({ input: child.stdout })) if (/^Evenkeel runs at/.test(line)) break;
      const measured = measure(child.pid!, began);
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      return measured;
    });
    return medianOf(name, starts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

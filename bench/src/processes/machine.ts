import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Machine {
  cores: number;
  node: string;
  platform: string;
  /** Share of the machine that others used just before the run, 0 to 1. */
  busyBeforeRatio: number;
}

const SAMPLE_MS = 1_000;

/** Facts that figures depend on; nothing that says whose machine it is. */
export async function describeMachine(): Promise<Machine> {
  const before = cpuTimes();
  await sleep(SAMPLE_MS);
  const after = cpuTimes();
  const busy = (after.busy - before.busy) / (after.all - before.all);
  return {
    cores: availableParallelism(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    busyBeforeRatio: Math.round(busy * 100) / 100,
  };
}

function cpuTimes(): { busy: number; all: number } {
  const times = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({ busy: user + nice + sys + irq, idle }));
  const busy = times.reduce((sum, core) => sum + core.busy, 0);
  return { busy, all: times.reduce((sum, core) => sum + core.idle, busy) };
}

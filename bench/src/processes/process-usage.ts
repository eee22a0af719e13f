import { readFileSync } from 'node:fs';

/** Of a clock tick in /proc, on every Linux there is. */
export const TICK_MS = 10;

/** Fields of /proc/<pid>/stat after the name. */
export const USER_AND_SYSTEM = [11, 12];

/** Fields of /proc/<pid>/stat after the name, which may hold spaces; undefined where there is no such process, or no /proc. */
export function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** User and system time of a process alone, so far, in milliseconds; null where there is no /proc. */
export function cpuMsOf(pid: number): number | null {
  const stat = statOf(pid);
  return stat ? USER_AND_SYSTEM.reduce((sum, field) => sum + Number(stat[field]), 0) * TICK_MS : null;
}

/** Resident memory of a process in megabytes; null where there is no /proc. */
export function residentMb(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return Number(kilobytes) / 1_024;
  } catch {
    return null;
  }
}

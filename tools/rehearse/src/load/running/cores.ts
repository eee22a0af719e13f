import type { Sample } from '../metrics/read-metrics';

/** Cores that each service used between two looks, main and worker of all replicas together. */
export function coresOf(before: readonly Sample[], after: readonly Sample[], seconds: number): [string, number][] {
  const used = new Map<string, number>();
  after.forEach(({ name, cpuSeconds }, index) => {
    const service = name.replace(/-\d+$/, '');
    // A process that was restarted meanwhile began again from 0.
    const cpu = Math.max(0, cpuSeconds - before[index]!.cpuSeconds);
    used.set(service, (used.get(service) ?? 0) + cpu / seconds);
  });
  return [...used];
}

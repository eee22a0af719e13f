import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@evenkeel/kernel/random';
import { eventually } from '@evenkeel/platform/testing';
import type { Cluster } from '../cluster/cluster';
import type { Thing } from '../traffic/traffic';
import { FAULTS, THINGS, type Fault, type Lines } from './lines';

const SECOND_MS = 1_000;
const UP_WITHIN_MS = 60_000;

/** A thing that fails for a time, or a process that is killed and started again; times in milliseconds from the beginning. */
type Event = { at: number; until: number } & ({ thing: Thing; fault: Fault } | { kill: string });

/**
 * Faults and kills at random times, the same for the same seed: on average two things fail at a time, each for 2 to 20 s, and
 * every ten seconds a process is killed, to be started again within 3 s.
 * @param processes their names
 * @returns in the order in which they happen; all is over at the end of that time
 */
function scheduleOf(seed: number, minutes: number, processes: readonly string[]): Event[] {
  const random = new Random(seed);
  const between = (from: number, to: number): number => Math.round((from + random.ratio() * (to - from)) * SECOND_MS);
  const one = <Some>(some: readonly Some[]): Some => some[random.below(some.length)]!;
  const endMs = minutes * 60 * SECOND_MS;
  const free = new Map<string, number>();
  const events: Event[] = [];
  /** @param restMs from its end until the same may happen again */
  const add = (name: string, event: Event, restMs: number): void => {
    if (event.at < (free.get(name) ?? 0) || event.until > endMs) return;
    free.set(name, event.until + restMs);
    events.push(event);
  };
  for (let at = between(2, 8); at < endMs; at += between(2, 9)) {
    const thing = one(THINGS);
    add(thing, { at, thing, fault: one(FAULTS), until: at + between(2, 20) }, SECOND_MS);
  }
  for (let at = between(2, 15); at < endMs; at += between(5, 15)) {
    const kill = one(processes);
    // Until it is surely up again.
    add(kill, { at, kill, until: at + between(0, 3) }, 10 * SECOND_MS);
  }
  return events.sort((a, b) => a.at - b.at);
}

/**
 * Faults and kills as a seed decides, under traffic.
 * @returns a sentence for each process that did not come up again
 */
export async function randomFaults(
  cluster: Cluster,
  lines: Lines,
  { seed, minutes }: { seed: number; minutes: number },
  report: (step: string) => void,
): Promise<string[]> {
  const processes = cluster.replicas.map(({ process }) => process);
  const names = processes.map(({ name }) => name);
  const events = scheduleOf(seed, minutes, names);
  report(`seed ${seed}: ${events.length} faults and kills in ${minutes} minutes`);
  const happen = async (event: Event): Promise<void> => {
    await sleep(event.at);
    const seconds = (event.until - event.at) / SECOND_MS;
    if ('thing' in event) {
      report(`${event.thing} is ${event.fault} for ${seconds.toFixed(0)} s`);
      return lines.fail(event.thing, event.fault, event.until - event.at);
    }
    report(`${event.kill} is killed`);
    const process = processes.find(({ name }) => name === event.kill)!;
    await process.stop('SIGKILL');
    await sleep(event.until - event.at);
    void cluster.startAgain(process);
  };
  await Promise.all(events.map(happen));
  const down = () => processes.filter(({ readyPid }) => readyPid === undefined);
  await eventually(() => down().length === 0, { withinMs: UP_WITHIN_MS }).catch(() => undefined);
  return down().map(({ name }) => `P10: ${name} is not ready ${UP_WITHIN_MS / SECOND_MS} s after the last fault`);
}

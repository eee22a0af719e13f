import { Random } from '@evenkeel/kernel/random';
import { THINGS, type Thing } from './lines';
import type { Fault } from './verdicts';

const FAULTS: readonly Fault[] = ['refused', 'hung', 'slow'];
const SECOND_MS = 1_000;

/** A thing that fails for a time, or a process that is killed and started again; times in milliseconds from the beginning. */
export type Event =
  { at: number; thing: Thing; fault: Fault; until: number } | { at: number; kill: string; startAt: number };

/**
 * Faults and kills at random times, the same for the same seed: on average two things fail at a time, each for 2 to 20 s, and
 * every ten seconds a process is killed, to be started again within 3 s.
 * @param processes their names
 * @returns in the order in which they happen; all is over at the end of that time
 */
export function scheduleOf(seed: number, minutes: number, processes: readonly string[]): Event[] {
  const random = new Random(seed);
  const between = (from: number, to: number): number => Math.round((from + random.ratio() * (to - from)) * SECOND_MS);
  const endMs = minutes * 60 * SECOND_MS;
  const events: Event[] = [];
  const free = new Map<string, number>();
  const isFree = (name: string, at: number): boolean => at >= (free.get(name) ?? 0);
  for (let at = between(2, 8); at < endMs; at += between(2, 9)) {
    const thing = THINGS[random.below(THINGS.length)]!;
    const until = at + between(2, 20);
    if (!isFree(thing, at) || until > endMs) continue;
    free.set(thing, until + SECOND_MS);
    events.push({ at, thing, fault: FAULTS[random.below(FAULTS.length)]!, until });
  }
  for (let at = between(2, 15); at < endMs; at += between(5, 15)) {
    const kill = processes[random.below(processes.length)]!;
    const startAt = at + between(0, 3);
    if (!isFree(kill, at) || startAt > endMs) continue;
    // Until it is surely up again.
    free.set(kill, startAt + 10 * SECOND_MS);
    events.push({ at, kill, startAt });
  }
  return events.sort((a, b) => a.at - b.at);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@evenkeel/kernel/random';
import type { Replica } from '../cluster';
import { THINGS, type Thing } from './lines';
import type { Trial } from './trial';
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

const TICK_MS = 50;
/** A process that ends while it starts, because something below it fails, is started again, as everywhere. */
const START_AGAIN_MS = 1_000;
const UP_WITHIN_MS = 60_000;

/**
 * Faults and kills as a seed decides, under traffic.
 * @returns a sentence for each process that did not come up again
 */
export async function randomFaults(
  trial: Trial,
  { seed, minutes }: { seed: number; minutes: number },
  report: (step: string) => void,
): Promise<string[]> {
  const { replicas } = trial.cluster;
  const events = scheduleOf(
    seed,
    minutes,
    replicas.map(({ process }) => process.name),
  );
  report(`seed ${seed}: ${events.length} faults and kills in ${minutes} minutes`);
  const begun = performance.now();
  const since = (): number => performance.now() - begun;
  for (const event of events) {
    while (since() < event.at) await sleep(TICK_MS);
    report(sentenceOf(event));
    void ('thing' in event ? fail(trial, event) : killed(replicas, event));
  }
  while (since() < minutes * 60_000) await sleep(TICK_MS);
  const deadline = performance.now() + UP_WITHIN_MS;
  const down = () => replicas.filter(({ process }) => !process.isReady);
  while (down().length > 0 && performance.now() < deadline) await sleep(TICK_MS);
  return down().map(
    ({ process }) => `P10: ${process.name} is not ready ${UP_WITHIN_MS / 1_000} s after the last fault`,
  );
}

async function fail({ lines }: Trial, { at, thing, fault, until }: Extract<Event, { thing: unknown }>): Promise<void> {
  const line = lines.of(thing);
  await line.become(fault);
  await sleep(until - at);
  await line.become('flowing');
}

async function killed(replicas: readonly Replica[], event: Extract<Event, { kill: unknown }>): Promise<void> {
  const { process } = replicas.find((replica) => replica.process.name === event.kill)!;
  await process.stop('SIGKILL');
  await sleep(event.startAt - event.at);
  for (;;) {
    try {
      return await process.start();
    } catch {
      await sleep(START_AGAIN_MS);
    }
  }
}

function sentenceOf(event: Event): string {
  if ('kill' in event) return `${event.kill} is killed`;
  return `${event.thing} is ${event.fault} for ${((event.until - event.at) / 1_000).toFixed(0)} s`;
}

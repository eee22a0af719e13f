import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../cluster';
import { scheduleOf, type Event } from './schedule';
import type { Trial } from './trial';

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

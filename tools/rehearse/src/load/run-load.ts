import { setTimeout as sleep } from 'node:timers/promises';
import { choices, CommandLine, decimal, integer, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { type ClusterState, readState } from '../cluster/control';
import { figuresOf, surroundingsOf, table, verdict } from '../rehearsal';
import { KINDS, kindOf, type Mix, type RequestKind, Traffic } from '../traffic/traffic';
import { grantCredits } from './grant-credits';
import { growthOf, GROWTH_MOST, lookAt, SETTLED_MINUTES, untilCaughtUp } from './watching';

const LOADED = KINDS.filter((kind) => kindOf(kind).load);
/** Slower for one in a hundred is too slow, whatever is asked. */
const P99_MS = 250;
/** The rest of a run may be an answer that is on its way. */
const REACHED_SHARE = 0.98;
const LAG_MOST_SECONDS = 5;
const SENTENCES_SHOWN = 5;

interface Wanted {
  mix: Mix;
  seconds: number;
  warmUp: number;
  /** Whether memory is checked in place of rates and times. */
  isSoak: boolean;
}

const only = choices({
  help: `${LOADED.join(', ')}; may be given more than once`,
  placeholder: 'kind',
  of: LOADED,
  otherwise: 'all at once',
});
const scaleOption = (fallback: number) => decimal({ help: 'all rates times this', from: 0.001, to: 4, fallback });
const environment = { DATA_DIR: 'where the running cluster says what it is (.data)' };

/** Requests a second of the kinds that were chosen. */
function mixOf(scale: number, kinds: readonly RequestKind[] = LOADED): Mix {
  return Object.fromEntries(kinds.map((kind) => [kind, kindOf(kind).load! * scale]));
}

export const LOAD = new CommandLine({
  call: 'npm run load',
  about: `Sends to the running cluster (npm run cluster) what two cores have to bear, stores included, all kinds at once, and says what was
reached: ${LOADED.map((kind) => `${kindOf(kind).load} ${kind}`).join(', ')} a second. Credits pay for analyses of 25 habits.
Requests are sent at their planned moments however slow the answers are, and are timed from there.`,
  usage: [
    'npm run load                                  a minute of all kinds',
    'npm run load -- --only login --scale 3        that kind, three times as often',
  ],
  options: { only, scale: scaleOption(1) },
  environment,
  ends: `A floor is met when the rate was reached, one in a hundred took under ${P99_MS} ms, and nothing failed. Ends with 0 when all were
met, with 1 when one was missed or no cluster runs, with 2 when it was called wrongly.`,
  // As long as webhooks take a process that has just begun until its code is compiled.
  read: ({ only: kinds, scale }): Wanted => ({ mix: mixOf(scale, kinds), seconds: 60, warmUp: 15, isSoak: false }),
});

export const SOAK = new CommandLine({
  call: 'npm run soak',
  about: `Half of what npm run load sends, for half an hour, while it watches every process of the running cluster: their memory may grow
by less than ${GROWTH_MOST * 100} % after minute ${SETTLED_MINUTES}, events are read within ${LAG_MOST_SECONDS} s at the end, and no request fails.`,
  usage: ['npm run soak -- --minutes 30'],
  options: { only, minutes: integer({ help: 'how long', from: 1, to: 240, fallback: 30 }), scale: scaleOption(0.5) },
  environment,
  ends: `Under ${SETTLED_MINUTES + 2} minutes it says nothing of memory. Ends with 0 when all of that holds, with 1 when something does not, with 2
when it was called wrongly.`,
  read: ({ only: kinds, minutes, scale }): Wanted => ({
    mix: mixOf(scale, kinds),
    seconds: minutes * 60,
    warmUp: 0,
    isSoak: true,
  }),
});

const PROGRESS_MS = 5_000;

/** @returns the exit code */
export async function runLoad({ mix, seconds, warmUp, isSoak }: Wanted, env: Environment, streams: Streams) {
  const { dataDir, out, report } = surroundingsOf(env, streams);
  const cluster = readState(dataDir);
  const { processes } = cluster;
  report(`to ${cluster.url}`);
  await using traffic = new Traffic(cluster, CONNECTIONS);
  await prepare(traffic, cluster, mix, warmUp + seconds, report);
  traffic.start(mix);
  await sleep(warmUp * 1_000);
  traffic.endings = [];
  const begun = performance.now();
  const looks = [await lookAt(processes)];
  for (let passed = 0; passed < seconds; passed = (performance.now() - begun) / 1_000) {
    await sleep(Math.min(PROGRESS_MS, (seconds - passed) * 1_000));
    const failed = traffic.endings.filter(({ error }) => error).length;
    report(`${traffic.endings.length} requests, ${failed} of them failed`);
    looks.push(await lookAt(processes));
  }
  await traffic.stop();
  const measured = (performance.now() - begun) / 1_000;
  const drained = await untilCaughtUp(processes);
  const { text, wrong } = floorsOf(mix, traffic, measured);
  const growth = isSoak ? growthOf(looks) : { text: '', wrong: [] };
  out(`Every event was published and read ${drained.toFixed(1)} s after the last request.\n\n${text}\n${growth.text}`);
  const late = isSoak && drained >= LAG_MOST_SECONDS ? [`events waited for ${drained.toFixed(1)} s`] : [];
  const kept = isSoak ? wrong.failures : [...wrong.failures, ...wrong.floors];
  return verdict([...kept, ...growth.wrong, ...late], 'Nothing is wrong.', out);
}

/** Whether each kind met its floor. */
function floorsOf(mix: Mix, { endings }: Traffic, seconds: number) {
  const figures = figuresOf(mix, endings).map((one) => ({ ...one, reached: one.answered / seconds }));
  const floors = figures.flatMap(({ kind, asked, reached, p99, failed }) => [
    ...(reached < asked * REACHED_SHARE ? [`${kind}: ${reached.toFixed(1)} a second in place of ${asked}`] : []),
    ...(p99 > P99_MS ? [`${kind}: one in a hundred took ${p99.toFixed(0)} ms or more in place of ${P99_MS}`] : []),
    ...(failed > 0 ? [`${kind}: ${failed} failed`] : []),
  ]);
  const rows = figures.map(({ kind, asked, reached, p50, p99, failed }) => [
    kind,
    asked,
    reached.toFixed(1),
    p50.toFixed(1),
    p99.toFixed(1),
    failed,
    floors.some((floor) => floor.startsWith(`${kind}:`)) ? 'missed' : 'met',
  ]);
  const reasons = new Map<string, number>();
  for (const { kind, error } of endings)
    if (error) reasons.set(`${kind}: ${error.message}`, (reasons.get(`${kind}: ${error.message}`) ?? 0) + 1);
  const often = [...reasons].sort(([, a], [, b]) => b - a).slice(0, SENTENCES_SHOWN);
  return {
    text: table(['requests', 'asked/s', 'reached/s', 'p50 ms', 'p99 ms', 'failed', 'floor'], rows),
    wrong: { floors, failures: often.map(([reason, times]) => `${times} times: ${reason}`) },
  };
}

const CONNECTIONS = 256;
const VISITORS = 20;
/** A credit more often than planned is better than one too few. */
const SPARE = 1.1;
/** Events of one subscription: more than this lie years apart in the life of one. */
const EVENTS_OF_ONE = 250;
/** Seconds between two events of a subscription: the provider counts no parts of a second. */
const APART = 1.4;
const PEOPLE_MOST = 2_000;

/** People who sign in, subscriptions, credits. It is over when the services have read all of it. */
async function prepare(
  traffic: Traffic,
  cluster: ClusterState,
  { credit = 0, login = 0, webhook = 0 }: Mix,
  seconds: number,
  report: (step: string) => void,
): Promise<void> {
  if (credit > 0) {
    const count = Math.ceil(credit * seconds * SPARE);
    report(`granting ${count} credits`);
    traffic.agents.grant(await grantCredits(cluster.databases['agent-gateway'], count));
  }
  const people = Math.ceil(Math.min(PEOPLE_MOST, Math.max(webhook * APART, (webhook * seconds) / EVENTS_OF_ONE)));
  if (people > 0) report(`${people} people register and upgrade`);
  await traffic.people.prepare(people, login > 0 ? VISITORS : 0);
  if (webhook > 0) await traffic.webhooks.prepare();
  await untilCaughtUp(cluster.processes);
}

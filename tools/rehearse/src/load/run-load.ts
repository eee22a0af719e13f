import { setTimeout as sleep } from 'node:timers/promises';
import { METRIC_PREFIX } from '@evenkeel/contracts';
import { Command, decimalOption, integerOption, Option } from '@evenkeel/platform/command-line';
import { scrape } from '@evenkeel/platform/testing';
import { type ClusterState, readState } from '../cluster/run-cluster';
import { atShare, command, ENDS, figuresOf, figuresTable, type Surroundings, verdict } from '../rehearsal';
import { KINDS, kindOf, type Mix, type RequestKind, Traffic } from '../traffic/traffic';
import { grantCredits } from './grant-credits';

const LOADED = KINDS.filter((kind) => kindOf(kind).load);
/** Slower for one in a hundred is too slow, whatever is asked. */
const P99_MS = 250;
/** The rest of a run may be an answer that is on its way. */
const REACHED_SHARE = 0.98;
/** Until the end of a soak, events wait no longer than this. */
const LAG_MOST_SECONDS = 5;
/** Caches are full and code is compiled. */
const SETTLED_MINUTES = 5;
/** Sizes of a heap move up and down: the middle of so many minutes is taken. */
const WINDOW_MINUTES = 1;
const GROWTH_MOST = 0.1;

const only = () =>
  new Option('--only <kinds...>', 'may be given more than once; by default all at once').choices(LOADED);
const scale = () => decimalOption('--scale <n>', 'all rates times this', 0.001, 4);
const ENVIRONMENT = '\nEnvironment:\n  DATA_DIR  where the running cluster says what it is (.data)\n';

function mixOf(times: number, kinds: readonly RequestKind[] = LOADED): Mix {
  return Object.fromEntries(kinds.map((kind) => [kind, kindOf(kind).load! * times]));
}

const LOAD = new Command('npm run load --')
  .description(
    `Sends to the running cluster (npm run cluster) what two cores have to bear, stores included, all kinds at once, and says what was
reached: ${LOADED.map((kind) => `${kindOf(kind).load} ${kind}`).join(', ')} a second.`,
  )
  .addOption(only())
  .addOption(scale().default(1))
  .addHelpText(
    'after',
    `
One kind, three times as often: npm run load -- --only login --scale 3
${ENVIRONMENT}
A floor is met when the rate was reached, one in a hundred took under ${P99_MS} ms, and nothing failed. ${ENDS}`,
  );

const SOAK = new Command('npm run soak --')
  .description(
    `Half of what npm run load sends, for half an hour, while it watches every process of the running cluster: their memory may grow
by less than ${GROWTH_MOST * 100} % after minute ${SETTLED_MINUTES}, events are read within ${LAG_MOST_SECONDS} s at the end, and no request fails.`,
  )
  .addOption(only())
  .addOption(integerOption('--minutes <n>', 'how long', 1, 240).default(30))
  .addOption(scale().default(0.5))
  .addHelpText('after', `${ENVIRONMENT}\nUnder ${SETTLED_MINUTES + 2} minutes it says nothing of memory. ${ENDS}`);

/** As long as webhooks take a process that has just begun until its code is compiled. */
const WARM_UP_SECONDS = 15;

export const load = command(LOAD, async ({ only: kinds, scale: times }, surroundings) => {
  const mix = mixOf(times, kinds);
  const { figures, failures } = await send(mix, WARM_UP_SECONDS, 60, surroundings);
  const missed = figures.flatMap(({ kind, asked, reached, p99 }) => [
    ...(reached < asked * REACHED_SHARE ? [`${kind}: ${reached.toFixed(1)} a second in place of ${asked}`] : []),
    ...(p99 > P99_MS ? [`${kind}: one in a hundred took ${p99.toFixed(0)} ms or more in place of ${P99_MS}`] : []),
  ]);
  return verdict([...missed, ...failures], 'Every floor is met.', surroundings.out);
});

export const soak = command(SOAK, async ({ only: kinds, scale: times, minutes }, surroundings) => {
  const mix = mixOf(times, kinds);
  const { failures, lagSeconds, looks } = await send(mix, 0, minutes * 60, surroundings);
  const late = lagSeconds > LAG_MOST_SECONDS ? [`events waited for ${lagSeconds.toFixed(1)} s`] : [];
  return verdict([...failures, ...late, ...growthOf(looks, surroundings)], 'Nothing is wrong.', surroundings.out);
});

const PROGRESS_MS = 5_000;

/** Sends a mix to the running cluster, and looks at its processes meanwhile. */
async function send(mix: Mix, warmUp: number, seconds: number, { dataDir, out, report }: Surroundings) {
  const cluster = readState(dataDir);
  await using traffic = new Traffic(cluster);
  await prepare(traffic, cluster, mix, warmUp + seconds, report);
  traffic.start(mix);
  await sleep(warmUp * 1_000);
  traffic.endings = [];
  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1_000;
  const looks = [await lookAt(cluster)];
  while (passed() < seconds) {
    await sleep(Math.min(PROGRESS_MS, (seconds - passed()) * 1_000));
    report(`${traffic.endings.length} requests, ${traffic.endings.filter(({ error }) => error).length} of them failed`);
    looks.push(await lookAt(cluster));
  }
  await traffic.stop();
  const figures = figuresOf(mix, traffic.endings, passed());
  const lagSeconds = await untilCaughtUp(cluster);
  out(
    `Every event was published and read ${lagSeconds.toFixed(1)} s after the last request.\n\n${figuresTable(figures)}\n`,
  );
  const reasons = new Map<string, number>();
  for (const { kind, error } of traffic.endings)
    if (error) reasons.set(`${kind}: ${error.message}`, (reasons.get(`${kind}: ${error.message}`) ?? 0) + 1);
  return { figures, lagSeconds, looks, failures: [...reasons].map(([reason, times]) => `${times} times: ${reason}`) };
}

const VISITORS = 20;
/** A credit more often than planned is better than one too few. */
const SPARE = 1.1;
/** Events of one subscription: more than this lie years apart in the life of one. */
const EVENTS_OF_ONE = 250;
/** Seconds between two events of a subscription: the provider counts no parts of a second. */
const APART = 1.4;

/** People who sign in, subscriptions, credits. It is over when the services have read all of it. */
async function prepare(
  traffic: Traffic,
  cluster: ClusterState,
  { credit = 0, webhook = 0 }: Mix,
  seconds: number,
  report: (step: string) => void,
): Promise<void> {
  const credits = Math.ceil(credit * seconds * SPARE);
  const people = Math.ceil(Math.max(webhook * APART, (webhook * seconds) / EVENTS_OF_ONE));
  report(`${credits} credits are granted, ${people} people register and upgrade`);
  traffic.agents.credits.push(...(await grantCredits(cluster.databases['agent-gateway'], credits)));
  await traffic.prepare(people, VISITORS);
  await untilCaughtUp(cluster);
}

/** Figures that processes show themselves. */
interface Look {
  minute: number;
  megabytes: ReadonlyMap<string, number>;
  /** Events that wait in outboxes, and those of topics that were not read. */
  waiting: number;
}

async function lookAt({ processes }: ClusterState): Promise<Look> {
  const pages = await Promise.all(processes.map(({ internalUrl }) => scrape(internalUrl)));
  const most = (index: number, metric: string): number =>
    Math.max(0, ...pages[index]!.of(metric).map(({ value }) => value));
  const waiting = processes.map(
    (_, index) => most(index, `${METRIC_PREFIX}outbox_unpublished`) + most(index, `${METRIC_PREFIX}consumer_lag`),
  );
  const sizes = processes.map(
    ({ name }, index) => [name, most(index, 'process_resident_memory_bytes') / 1_048_576] as const,
  );
  return { minute: performance.now() / 60_000, megabytes: new Map(sizes), waiting: Math.max(...waiting) };
}

const POLL_MS = 250;
const CAUGHT_UP_WITHIN_MS = 300_000;

/** Resolves when every event is published and read. @returns seconds that it took */
async function untilCaughtUp(cluster: ClusterState): Promise<number> {
  const begun = performance.now();
  for (; (await lookAt(cluster)).waiting > 0; await sleep(POLL_MS))
    if (performance.now() - begun > CAUGHT_UP_WITHIN_MS) throw new Error('After five minutes events still wait.');
  return (performance.now() - begun) / 1_000;
}

/**
 * Resident memory of each process after minute 5 and at the end; nothing where the soak was too short to tell.
 * @returns a sentence for each process that grew too much
 */
function growthOf(looks: readonly Look[], { out }: Surroundings): string[] {
  const [first, last] = [looks[0]!, looks.at(-1)!];
  if (last.minute - first.minute < SETTLED_MINUTES + 2 * WINDOW_MINUTES) {
    out('It was too short to say how memory grows.\n');
    return [];
  }
  const middleFrom = (begin: number, name: string): number => {
    const inWindow = looks.filter(({ minute }) => minute >= begin && minute <= begin + WINDOW_MINUTES);
    return atShare(
      inWindow.map(({ megabytes }) => megabytes.get(name)!),
      0.5,
    );
  };
  return [...last.megabytes.keys()].flatMap((name) => {
    const from = middleFrom(first.minute + SETTLED_MINUTES, name);
    const to = middleFrom(last.minute - WINDOW_MINUTES, name);
    const growth = `${name}: resident memory went from ${from.toFixed(0)} to ${to.toFixed(0)} MB`;
    out(`${growth}\n`);
    return to < from * (1 + GROWTH_MOST) ? [] : [growth];
  });
}

import { choices, CommandLine, decimal, integer, type Streams } from '@evenkeel/platform/command-line';
import { type Environment, loadConfig } from '@evenkeel/platform/config';
import { ClusterConfig, type ClusterState, LOAD_MIX, type Mix, readState, type RequestKind, Traffic } from '../cluster';
import { grantCredits } from './grant-credits';
import { figuresOf, grown, GROWTH_MOST, growthsOf, LAG_MOST_SECONDS, lagging, type Look } from './verdicts';
import { growthTable, missedFloors, P99_MS, reasonsOf, SETTLED_MINUTES, tableOf } from './verdicts';
import { coresOf, readSamples, runTraffic, untilCaughtUp } from './watching';

const KINDS = Object.keys(LOAD_MIX) as RequestKind[];
const SENTENCES_SHOWN = 5;

const only = choices({
  help: `${KINDS.join(', ')}; may be given more than once`,
  placeholder: 'kind',
  of: KINDS,
  otherwise: 'all at once',
});
const scaleOption = (fallback: number) => decimal({ help: 'all rates times this', from: 0.001, to: 4, fallback });
const environment = { DATA_DIR: 'where the running cluster says what it is (.data)' };

/** Requests a second of the kinds that were chosen. */
function mixOf(scale: number, kinds: readonly RequestKind[] = KINDS): Mix {
  return Object.fromEntries(kinds.map((kind) => [kind, LOAD_MIX[kind]! * scale]));
}

export interface LoadWanted {
  mix: Mix;
  seconds: number;
  warmUp: number;
  /** Whether memory is checked in place of rates and times. */
  isSoak: boolean;
}

export const LOAD = new CommandLine({
  call: 'npm run load',
  about: `Sends to the running cluster (npm run cluster) what two cores have to bear, stores included, all kinds at once, and says what was
reached: ${KINDS.map((kind) => `${LOAD_MIX[kind]} ${kind}`).join(', ')} a second. Credits pay for analyses of 25 habits.
Requests are sent at their planned moments however slow the answers are, and are timed from there.`,
  usage: [
    'npm run load                                  a minute of all kinds',
    'npm run load -- --only login --scale 3        that kind, three times as often',
  ],
  options: {
    only,
    seconds: decimal({ help: 'how long it measures', placeholder: 's', from: 1, to: 600, fallback: 60 }),
    // So long, webhooks take a process that has just begun until its code is compiled.
    warmUp: decimal({ help: 'seconds of the same before that', placeholder: 's', from: 0, to: 60, fallback: 15 }),
    scale: scaleOption(1),
  },
  environment,
  ends: `A floor is met when the rate was reached, one in a hundred took under ${P99_MS} ms, and nothing failed. Ends with 0 when all were
met, with 1 when one was missed or no cluster runs, with 2 when it was called wrongly. Ctrl-C ends it and shows what came until then.`,
  read: ({ only: kinds, seconds, warmUp, scale }): LoadWanted => ({
    mix: mixOf(scale, kinds),
    seconds,
    warmUp,
    isSoak: false,
  }),
});

export const SOAK = new CommandLine({
  call: 'npm run soak',
  about: `Half of what npm run load sends, for half an hour, while it watches every process of the running cluster: their memory may grow
by less than ${GROWTH_MOST * 100} % after minute ${SETTLED_MINUTES}, events are read within ${LAG_MOST_SECONDS} s at the end, and no request fails.`,
  usage: ['npm run soak -- --minutes 30'],
  options: { only, minutes: integer({ help: 'how long', from: 1, to: 240, fallback: 30 }), scale: scaleOption(0.5) },
  environment,
  ends: `Under ${SETTLED_MINUTES + 2} minutes it says nothing of memory. Ends with 0 when all of that holds, with 1 when something does not, with 2
when it was called wrongly. Ctrl-C ends it and shows what came until then.`,
  read: ({ only: kinds, minutes, scale }): LoadWanted => ({
    mix: mixOf(scale, kinds),
    seconds: minutes * 60,
    warmUp: 0,
    isSoak: true,
  }),
});

/** @returns the exit code */
export async function runLoad(
  { mix, seconds, warmUp, isSoak }: LoadWanted,
  env: Environment,
  { out, err }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const cluster = readState(loadConfig(ClusterConfig, env).DATA_DIR);
  const { processes } = cluster;
  const report = (step: string): void => err(`${step}\n`);
  report(`to ${cluster.url}`);
  const traffic = await prepareTraffic(cluster, mix, warmUp + seconds, report);
  try {
    if (warmUp > 0) {
      report('warming up');
      await runTraffic(traffic, { mix, seconds: warmUp, signal, report });
      if (!signal.aborted) traffic.clear();
    }
    report('measuring');
    const looks: Look[] = [];
    const begunAt = performance.now();
    const look = async (): Promise<void> => {
      looks.push({ minute: (performance.now() - begunAt) / 60_000, samples: await readSamples(processes) });
    };
    await look();
    const ran = await runTraffic(traffic, { mix, seconds, signal, report, onProgress: look });
    await look();
    const drainedSeconds = await untilCaughtUp(processes, report);
    const [first, last] = [looks[0]!, looks.at(-1)!];
    const cores = coresOf(first.samples, last.samples, (last.minute - first.minute) * 60);
    const figures = figuresOf(mix, traffic.results, ran);
    const growths = isSoak ? growthsOf(looks) : [];
    out(`\nCores in use: ${cores.map(([name, used]) => `${name} ${used.toFixed(2)}`).join(', ')}\n`);
    out(`Every event was published and read ${drainedSeconds.toFixed(1)} s after the last request.\n`);
    out(`\n${tableOf(figures)}\n${growthTable(growths)}`);
    if (isSoak && growths.length === 0) out('It was too short to say how memory grows.\n');
    const wrong = [
      ...reasonsOf(figures).slice(0, SENTENCES_SHOWN),
      ...(isSoak ? [...grown(growths), ...lagging(last, drainedSeconds)] : missedFloors(figures)),
    ];
    for (const sentence of wrong) out(`WRONG  ${sentence}\n`);
    if (signal.aborted) out('Stopped before its end.\n');
    else if (wrong.length === 0) out('Nothing is wrong.\n');
    return wrong.length === 0 && !signal.aborted ? 0 : 1;
  } finally {
    await traffic.close();
  }
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

/**
 * Callers with all that requests of a mix need: people who sign in, subscriptions, credits. It is over when the services have
 * read all of it.
 * @param seconds for which the mix will run
 * @throws Error with a sentence when something of it cannot be made
 */
async function prepareTraffic(
  cluster: ClusterState,
  { credit = 0, login = 0, webhook = 0 }: Mix,
  seconds: number,
  report: (step: string) => void,
): Promise<Traffic> {
  const traffic = new Traffic(cluster, { connections: CONNECTIONS });
  try {
    if (credit > 0) {
      const count = Math.ceil(credit * seconds * SPARE);
      report(`granting ${count} credits`);
      traffic.agents.grant(await grantCredits(cluster.databases['agent-gateway']!, count));
    }
    const people = Math.ceil(Math.min(PEOPLE_MOST, Math.max(webhook * APART, (webhook * seconds) / EVENTS_OF_ONE)));
    if (people > 0) report(`${people} people register and upgrade`);
    await traffic.people.prepare(people, login > 0 ? VISITORS : 0);
    if (webhook > 0) await traffic.webhooks.prepare();
    await untilCaughtUp(cluster.processes, report);
    return traffic;
  } catch (error) {
    await traffic.close();
    throw error;
  }
}

import { CommandLine, type Streams, integer } from '@evenkeel/platform/command-line';
import { type Environment, loadConfig } from '@evenkeel/platform/config';
import type { Mix, RequestKind } from '../../cluster';
import { ENVIRONMENT, METRICS_OPTION, TARGET_OPTIONS, mixOf, scaleOption } from '../run-load';
import { readSamples, runTraffic, untilCaughtUp } from '../running';
import { LoadConfig, assertAnswers, findTarget, prepareTraffic } from '../target';
import {
  GROWTH_MOST,
  LAG_MOST_SECONDS,
  type Look,
  SETTLED_MINUTES,
  figuresOf,
  grown,
  growthsOf,
  lagging,
  megabytes,
  tableOf,
} from '../verdicts';

const SENTENCES_SHOWN = 5;

export interface SoakWanted {
  url?: string;
  ownsAddress: boolean;
  /** Where the processes to watch show their metrics. */
  metrics: readonly string[];
  mix: Mix;
  minutes: number;
}

export const SOAK = new CommandLine({
  call: 'npm run soak',
  about: `Half of what npm run load sends, all kinds at once, for half an hour, while it watches every process: their memory may grow
by less than ${GROWTH_MOST * 100} % after minute ${SETTLED_MINUTES}, events are read within ${LAG_MOST_SECONDS} s at the end, and no request fails.`,
  usage: [
    'npm run soak -- --minutes 30             against the running cluster (npm run cluster)',
    'npm run soak -- --url http://localhost:8080 --only discovery --metrics http://localhost:8081',
  ],
  options: {
    ...TARGET_OPTIONS,
    metrics: METRICS_OPTION,
    minutes: integer({ help: 'how long', from: 1, to: 240, fallback: 30 }),
    scale: scaleOption(0.5),
  },
  environment: ENVIRONMENT,
  ends: `Under ${SETTLED_MINUTES + 2} minutes it says nothing of memory, and where no process can be watched nothing but whether requests failed. Ends with 0 when all of that holds, with 1 when something does not, with 2 when
it was called wrongly. Ctrl-C ends it and shows what came until then.`,
  read: ({ url, only, iOwnThisAddress: ownsAddress, metrics, minutes, scale }): SoakWanted => ({
    ...{ url, ownsAddress, metrics, mix: mixOf(scale, only), minutes },
  }),
});

/** @returns the exit code */
export async function runSoak(
  wanted: SoakWanted,
  env: Environment,
  { out, err }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { url, ownsAddress, metrics, mix, minutes } = wanted;
  const kinds = Object.keys(mix) as RequestKind[];
  const target = findTarget({ url, ownsAddress, kinds, metrics }, loadConfig(LoadConfig, env));
  const { processes } = target;
  await assertAnswers(target);
  const begun = performance.now();
  const report = (step: string): void => err(`${step}\n`);
  const traffic = await prepareTraffic(target, mix, minutes * 60, report);
  try {
    const looks: Look[] = [];
    const started = performance.now();
    const look = async (): Promise<void> => {
      const samples = await readSamples(processes);
      looks.push({ minute: (performance.now() - started) / 60_000, samples });
    };
    report(`${((started - begun) / 1_000).toFixed(0)} s of preparation are over: soaking for ${minutes} minutes`);
    const ran = await runTraffic(traffic, { mix, seconds: minutes * 60, signal, report, onProgress: look });
    const drainedSeconds = await untilCaughtUp(processes, report);
    out(`\n${tableOf(figuresOf(mix, traffic.results, ran))}\n`);
    const wrong = [
      ...traffic.failures.slice(0, SENTENCES_SHOWN),
      ...(processes.length > 0 ? wrongIn(looks, drainedSeconds, out) : []),
    ];
    for (const sentence of wrong) out(`WRONG  ${sentence}\n`);
    if (processes.length === 0)
      out('No process was watched: nothing is known of memory and lag. --metrics names some.\n');
    if (signal.aborted) out('Stopped before its end.\n');
    else if (wrong.length === 0)
      out(`No request failed${processes.length > 0 ? ', memory and lag stay where they are' : ''}.\n`);
    return wrong.length === 0 && !signal.aborted ? 0 : 1;
  } finally {
    await traffic.close();
  }
}

/** Says what the processes did. @returns a sentence for each that is wrong */
function wrongIn(looks: readonly Look[], drainedSeconds: number, out: (text: string) => void): string[] {
  const growths = growthsOf(looks);
  for (const { name, fromBytes, toBytes, ratio } of growths) {
    const cells = [megabytes(fromBytes).padStart(8), megabytes(toBytes).padStart(8)];
    out(`${name.padEnd(24)}${cells.join('')}${`${(ratio * 100).toFixed(1)} %`.padStart(9)}\n`);
  }
  if (growths.length === 0)
    out(`It was too short to say how memory grows: ${SETTLED_MINUTES + 2} minutes are the least.\n`);
  out(`Every event was published and read ${drainedSeconds.toFixed(1)} s after the last request.\n`);
  return [...grown(growths), ...lagging(looks.at(-1)!, drainedSeconds)];
}

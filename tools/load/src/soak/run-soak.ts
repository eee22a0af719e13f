import type { Mix, RequestKind } from '@evenkeel/cluster';
import { BadUsage, CommandLine, integer, type Streams } from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { LoadConfig } from '../load.config';
import { untilCaughtUp } from '../metrics/caught-up';
import { readSamples } from '../metrics/read-metrics';
import { ENVIRONMENT, mixOf, scaleOption, TARGET_OPTIONS } from '../options';
import { runTraffic } from '../running/run-traffic';
import { figuresOf, tableOf } from '../running/verdicts';
import { assertAnswers, findTarget } from '../target/find-target';
import { prepareTraffic } from '../target/prepare-traffic';
import {
  GROWTH_MOST,
  grown,
  growthsOf,
  lagging,
  LAG_MOST_SECONDS,
  megabytes,
  SETTLED_MINUTES,
  type Look,
} from './verdicts';

const SENTENCES_SHOWN = 5;

export interface SoakWanted {
  url?: string;
  ownsAddress: boolean;
  mix: Mix;
  minutes: number;
}

export const SOAK = new CommandLine({
  call: 'npm run soak',
  about: `Half of what npm run load sends, for half an hour, while it watches every process of the running cluster: their memory may grow
by less than ${GROWTH_MOST * 100} % after minute ${SETTLED_MINUTES}, events are read within ${LAG_MOST_SECONDS} s at the end, and no request fails.`,
  usage: ['npm run soak -- --minutes 30             against the running cluster (npm run cluster)'],
  options: {
    ...TARGET_OPTIONS,
    minutes: integer({ help: 'how long', from: 1, to: 240, fallback: 30 }),
    scale: scaleOption(0.5),
  },
  environment: ENVIRONMENT,
  ends: `Under ${SETTLED_MINUTES + 2} minutes it says nothing of memory. Ends with 0 when all of that holds, with 1 when something does not, with 2 when
it was called wrongly. Ctrl-C ends it and shows what came until then.`,
  read: ({ url, only, iOwnThisAddress: ownsAddress, minutes, scale }): SoakWanted => ({
    ...{ url, ownsAddress, mix: mixOf(scale, only), minutes },
  }),
});

/** @returns the exit code */
export async function runSoak(
  wanted: SoakWanted,
  env: Environment,
  { out, err }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { url, ownsAddress, mix, minutes } = wanted;
  const kinds = Object.keys(mix) as RequestKind[];
  const target = findTarget({ url, ownsAddress, kinds }, loadConfig(LoadConfig, env));
  const { processes } = target;
  if (processes.length === 0)
    throw new BadUsage('A soak watches the processes of a cluster. Start one with "npm run cluster"');
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
    const growths = growthsOf(looks);
    out(`\n${tableOf(figuresOf(mix, traffic.results, ran))}\n`);
    for (const { name, fromBytes, toBytes, ratio } of growths) {
      out(
        `${name.padEnd(24)}${megabytes(fromBytes).padStart(8)}${megabytes(toBytes).padStart(8)}${`${(ratio * 100).toFixed(1)} %`.padStart(9)}\n`,
      );
    }
    if (growths.length === 0)
      out(`It was too short to say how memory grows: ${SETTLED_MINUTES + 2} minutes are the least.\n`);
    out(`Every event was published and read ${drainedSeconds.toFixed(1)} s after the last request.\n`);
    const wrong = [
      ...traffic.failures.slice(0, SENTENCES_SHOWN),
      ...grown(growths),
      ...lagging(looks.at(-1)!, drainedSeconds),
    ];
    for (const sentence of wrong) out(`WRONG  ${sentence}\n`);
    if (signal.aborted) out('Stopped before its end.\n');
    else if (wrong.length === 0) out('No request failed, memory and lag stay where they are.\n');
    return wrong.length === 0 && !signal.aborted ? 0 : 1;
  } finally {
    await traffic.close();
  }
}

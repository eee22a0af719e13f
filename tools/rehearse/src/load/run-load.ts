import {
  BadUsage,
  CommandLine,
  type Option,
  type Streams,
  choices,
  decimal,
  flag,
  text,
} from '@evenkeel/platform/command-line';
import { type Environment, loadConfig } from '@evenkeel/platform/config';
import { LOAD_MIX, type Mix, type RequestKind, type Traffic } from '../cluster';
import { coresOf, readSamples, runTraffic, untilCaughtUp } from './running';
import { LoadConfig, type Target, assertAnswers, findTarget, prepareTraffic } from './target';
import { type KindFigures, P99_MS, conclude, figuresOf, tableOf } from './verdicts';

const KINDS = Object.keys(LOAD_MIX) as RequestKind[];

const BASE_ADDRESS = {
  matches: /^https?:\/\/[^/\s]+\/?$/,
  must: 'be http:// or https:// with a host and nothing after it',
};

/** Processes to watch, each after an option of its own. */
export const METRICS_OPTION: Option<string[]> = {
  placeholder: 'url',
  help: 'internal address of a process to watch; may be given more than once (those of the running cluster)',
  repeats: true,
  read: (texts, name) => {
    if (!texts.every((typed) => BASE_ADDRESS.matches.test(typed)))
      throw new BadUsage(`${name} must ${BASE_ADDRESS.must}`);
    return [...texts];
  },
};

/** Options of load and of soak. */
export const TARGET_OPTIONS = {
  url: text({
    help: 'base address',
    placeholder: 'url',
    otherwise: 'the running cluster, else http://localhost:8080',
    ...BASE_ADDRESS,
  }),
  only: choices({ help: `${KINDS.join(', ')}; may be given more than once`, placeholder: 'kind', of: KINDS }),
  iOwnThisAddress: flag('allows an address that is not of this machine'),
};

export function scaleOption(fallback: number) {
  return decimal({ help: 'all rates times this', from: 0.001, to: 4, fallback });
}

export const ENVIRONMENT = {
  DATA_DIR: 'where the cluster says what it is (.data)',
  GATEWAY_DATABASE_URL: 'the ledger of another address, for credits',
  STRIPE_API_BASE: 'of another address, for webhooks; with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
};

/** Requests a second of the kinds that were chosen. */
export function mixOf(scale: number, only: readonly RequestKind[] = KINDS): Mix {
  return Object.fromEntries(only.map((kind) => [kind, LOAD_MIX[kind]! * scale]));
}

export interface LoadWanted {
  url?: string;
  ownsAddress: boolean;
  mix: Mix;
  /** All kinds at once, in place of each alone. */
  together: boolean;
  seconds: number;
  warmUp: number;
}

export const LOAD = new CommandLine({
  call: 'npm run load',
  about: `Sends what two cores have to bear, stores included, and says what was reached: 2,000 documents a second, 1,500 unpaid calls,
300 analyses of 25 habits paid with credits, 15 logins, 300 webhooks; each kind alone, one after the other. Requests are sent at
their planned moments however slow the answers are, and are timed from there.`,
  usage: [
    'npm run load                             each kind in turn, against the running cluster (npm run cluster)',
    'npm run load -- --only login             that kind',
    'npm run load -- --together --scale 0.05 --seconds 60',
  ],
  options: {
    ...TARGET_OPTIONS,
    together: flag('all kinds at once: at full rates more than two cores have'),
    seconds: decimal({ help: 'how long it measures each', placeholder: 's', from: 1, to: 600, fallback: 20 }),
    // So long, 300 webhooks a second take a process that has just begun until its code is compiled.
    warmUp: decimal({ help: 'seconds of the same before that', placeholder: 's', from: 0, to: 60, fallback: 15 }),
    scale: scaleOption(1),
  },
  environment: ENVIRONMENT,
  ends: `A floor is met when the rate was reached, one in a hundred took under ${P99_MS} ms, and nothing failed. Ends with 0 when all were
met, with 1 when one was missed or nothing answers, with 2 when it was called wrongly. Ctrl-C ends it and shows what came until then.`,
  read: ({ url, only, iOwnThisAddress: ownsAddress, together, seconds, warmUp, scale }): LoadWanted => ({
    ...{ url, ownsAddress, mix: mixOf(scale, only), together, seconds, warmUp },
  }),
});

/** @returns the exit code */
export async function runLoad(
  wanted: LoadWanted,
  env: Environment,
  { out, err }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { url, ownsAddress, mix, together, seconds, warmUp } = wanted;
  const kinds = Object.keys(mix) as RequestKind[];
  const target = findTarget({ url, ownsAddress, kinds }, loadConfig(LoadConfig, env));
  const report = (step: string): void => err(`${step}\n`);
  await assertAnswers(target);
  report(`to ${target.targets.url}`);
  const traffic = await prepareTraffic(target, mix, warmUp + seconds, report);
  try {
    const figures: KindFigures[] = [];
    const turns = together ? [mix] : kinds.map((kind): Mix => ({ [kind]: mix[kind] }));
    for (const turn of turns) {
      figures.push(...(await measure(traffic, target, { mix: turn, seconds, warmUp, signal, report, out })));
      if (signal.aborted) break;
      // What one kind leaves to be done would be done beside the next.
      await untilCaughtUp(target.processes, report);
    }
    out(`\n${tableOf(figures)}\n`);
    return conclude(figures, signal.aborted, out);
  } finally {
    await traffic.close();
  }
}

interface Measure {
  mix: Mix;
  seconds: number;
  warmUp: number;
  signal: AbortSignal;
  report: (step: string) => void;
  out: (text: string) => void;
}

async function measure(
  traffic: Traffic,
  { processes }: Target,
  { mix, seconds, warmUp, signal, report, out }: Measure,
): Promise<KindFigures[]> {
  const kinds = Object.keys(mix).join(', ');
  traffic.clear();
  if (warmUp > 0) {
    report(`warming up: ${kinds}`);
    await runTraffic(traffic, { mix, seconds: warmUp, signal, report });
    if (!signal.aborted) traffic.clear();
  }
  const before = { samples: await readSamples(processes), usage: process.cpuUsage() };
  report(`measuring: ${kinds}`);
  const ran = await runTraffic(traffic, { mix, seconds, signal, report });
  const usage = process.cpuUsage(before.usage);
  const own = (usage.user + usage.system) / 1_000 / (ran.endedAt - ran.begunAt);
  const cores = coresOf(before.samples, await readSamples(processes), (ran.endedAt - ran.begunAt) / 1_000);
  const used = [...cores, ['this command', own] as const].map(([name, n]) => `${name} ${n.toFixed(2)}`).join(', ');
  out(`Cores in use by ${kinds}: ${used}\n`);
  return figuresOf(mix, traffic.results, ran);
}

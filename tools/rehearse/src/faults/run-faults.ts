import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@evenkeel/kernel/random';
import { Command, integerOption, Option } from '@evenkeel/platform/command-line';
import { eventually } from '@evenkeel/platform/testing';
import { settledBooks } from '../books';
import type { Cluster } from '../cluster/cluster';
import { atShare, command, ENDS, ENVIRONMENT, rehearse, sentenceOf, type Surroundings } from '../rehearsal';
import { WrongAnswer } from '../traffic/caller';
import { type Ending, KINDS, kindOf, type RequestKind, steadyMix, type Thing } from '../traffic/traffic';
import { FAULTS, type Fault, Lines, THINGS } from './lines';

const LINE = new Command('npm run faults --')
  .description(
    `Starts a cluster of its own, sends mixed requests to it, and lets each thing below the services fail: nobody listens (20 s),
everything hangs (20 s), every answer comes 500 ms later (10 s).`,
  )
  .addOption(
    new Option('--only <things...>', 'these alone; may be given more than once').choices(THINGS).conflicts('random'),
  )
  .option('--random', 'faults of all of them, with SIGKILL of processes, at times that the seed decides', false)
  .addOption(integerOption('--minutes <n>', 'of --random', 1, 600).default(15))
  .addOption(integerOption('--seed <n>', 'of --random', 0, 2 ** 31 - 1).default(1))
  .addOption(integerOption('--rate <n>', 'requests a second', 10, 1_000).default(50))
  .addHelpText(
    'after',
    `
  npm run faults                                       each thing in turn: 14 minutes
  npm run faults -- --only redis --only stripe         these alone
  npm run faults -- --random --minutes 15 --seed 7     faults and kills at random; then the books are compared
${ENVIRONMENT}

${ENDS}`,
  );

/** From the last fault until everybody has an answer and all books say the same. */
const SETTLED_WITHIN_MS = 60_000;

export const faults = command(LINE, async ({ only, random, minutes, seed, rate }, surroundings) => {
  const { report } = surroundings;
  const lines = await Lines.open();
  const about = { name: 'faults', allIsWell: 'All promises hold.', people: 10, mix: steadyMix(rate), lines };
  return rehearse(surroundings, about, async (cluster, traffic) => {
    const names = cluster.replicas.map(({ name }) => name);
    const events = random ? atRandom(seed, minutes, names) : inTurn(only ?? THINGS);
    report(`${events.length} faults and kills${random ? `, seed ${seed}` : ''}`);
    const { troubles, down } = await happening(cluster, lines, events, surroundings);
    await traffic.stop();
    report('the traffic has ended: comparing the books');
    const books = await settledBooks(cluster.backing, traffic, SETTLED_WITHIN_MS);
    const unmet = random ? [] : unmetBy(traffic.endings, troubles);
    return [...books, ...down, ...unmet, ...wrongAnswers(traffic.endings, troubles)];
  }).finally(() => lines.close());
});

/** A thing that fails for a time, or a process that is killed and started again. */
interface Trouble {
  /** Of the thing, or of the process. */
  name: string;
  fault: Fault | 'killed';
}

/** A trouble that is over, with its beginning and end as `performance.now()` has them. */
type PastTrouble = Trouble & { from: number; until: number };

/** Times in milliseconds from the beginning. */
type Event = Trouble & { at: number; until: number };

/** From the end of a fault until everybody is served again. */
const BACK_WITHIN_MS = 5_000;
/** How long each fault lasts. */
const FAULT_MS: Readonly<Record<Fault, number>> = { refused: 20_000, hung: 20_000, slow: 10_000 };
/** Until all must be back, and then as long again. */
const AFTER_MS = 2 * BACK_WITHIN_MS;
const CALM_MS = 5_000;

/** Every fault of some things, one after the other. */
function inTurn(things: readonly Thing[]): Event[] {
  let at = CALM_MS;
  return things.flatMap((thing) =>
    FAULTS.map((fault) => {
      const event = { name: thing, fault, at, until: at + FAULT_MS[fault] };
      at = event.until + AFTER_MS;
      return event;
    }),
  );
}

const SECOND_MS = 1_000;
const UP_WITHIN_MS = 60_000;

/**
 * Faults and kills at random times, the same for the same seed: on average two things fail at a time, each for 2 to 20 s, and
 * every fifteen seconds a process is killed, to be started again within 3 s.
 * @param processes their names
 * @returns all is over at the end of that time
 */
function atRandom(seed: number, minutes: number, processes: readonly string[]): Event[] {
  const random = new Random(seed);
  const between = (from: number, to: number): number => Math.round((from + random.ratio() * (to - from)) * SECOND_MS);
  const one = <Some>(some: readonly Some[]): Some => some[random.below(some.length)]!;
  const endMs = minutes * 60 * SECOND_MS;
  /** Until when something fails, or a process that was killed is surely up again. */
  const busyUntil = new Map<string, number>();
  const events: Event[] = [];
  for (let at = between(2, 8); at < endMs; at += between(1, 7)) {
    const isKill = random.oneIn(4);
    const name = isKill ? one(processes) : one(THINGS);
    const until = at + (isKill ? between(0, 3) : between(2, 20));
    if (at < (busyUntil.get(name) ?? 0) || until > endMs) continue;
    busyUntil.set(name, until + (isKill ? UP_WITHIN_MS : SECOND_MS));
    events.push({ name, at, until, fault: isKill ? 'killed' : one(FAULTS) });
  }
  return events;
}

/** Lets it all happen. @returns when it was, and a sentence for each process that has ended, or did not come up again */
async function happening(
  { replicas }: Cluster,
  lines: Lines,
  events: readonly Event[],
  { report }: Surroundings,
): Promise<{ troubles: PastTrouble[]; down: string[] }> {
  const before = replicas.map(({ readyPid }) => readyPid);
  const names = new Set(events.map(({ name }) => name));
  const happen = async (event: Event): Promise<PastTrouble> => {
    await sleep(event.at);
    report(nameOf(event));
    const from = performance.now();
    const ms = event.until - event.at;
    const replica = replicas.find(({ name }) => name === event.name);
    if (!replica) await lines.fail(event.name as Thing, event.fault as Fault, ms);
    else {
      await replica.stop('SIGKILL');
      await sleep(ms);
      // One that ends while it starts, because something below it fails, is started again, as everywhere.
      await eventually(() => replica.start(), { withinMs: UP_WITHIN_MS }).catch(() => undefined);
    }
    return { ...event, from, until: performance.now() };
  };
  const troubles = await Promise.all(events.map(happen));
  await sleep(AFTER_MS);
  const down = replicas.filter(
    ({ name, readyPid }, index) => !readyPid || (!names.has(name) && readyPid !== before[index]),
  );
  return {
    troubles,
    down: down.map(({ name }) => `P10: ${name} has ended, or is not ready a minute after the last fault`),
  };
}

const OTHERS_P99_MS = 1_000;
/** No answer may take longer, whatever fails. */
const HANG_MS = 5_000;
/** Where a database does not answer. */
const FAST_MS = 3_000;
/** The edge says 502 of a request whose process was killed. */
const REFUSALS = [429, 502, 503];
/** Paths of buyers: what is 503 elsewhere is 502 there, with more to say. */
const PAID_KINDS: readonly RequestKind[] = ['paid', 'repeat', 'credit'];
const PAID_ERRORS = ['payment_verification_unavailable', 'settlement_unknown'];

function nameOf({ name, fault }: Trouble): string {
  return `${name} is ${fault}`;
}

/** What was under way when it began is part of it. */
function isAround({ from, until }: PastTrouble, { at, ms }: Ending): boolean {
  return from <= at + ms && at < until + BACK_WITHIN_MS;
}

/** A trouble that no request of a kind has met shows nothing of that kind. @returns a sentence for each */
function unmetBy(endings: readonly Ending[], troubles: readonly PastTrouble[]): string[] {
  return troubles.flatMap((trouble) =>
    KINDS.filter((kind) => !endings.some((ending) => ending.kind === kind && isAround(trouble, ending))).map(
      (kind) => `${nameOf(trouble)}: no request of ${kind} was sent meanwhile`,
    ),
  );
}

/** The wrong answers of a time with troubles, a sentence each. */
function wrongAnswers(endings: readonly Ending[], troubles: readonly PastTrouble[]): string[] {
  const checked = endings.map((ending) => {
    const around = troubles.filter((trouble) => isAround(trouble, ending));
    const { needs } = kindOf(ending.kind);
    const isExcused =
      around.length > 1 || around.some(({ name, fault }) => fault === 'killed' || needs.includes(name as Thing));
    return { ending, around, isExcused };
  });
  const wrong = checked.flatMap(({ ending, around, isExcused }) => {
    const name = around.map(nameOf).join(', ') || 'without a fault';
    const saying = (what: string): string => `${name}: ${what}${sentenceOf(ending)}`;
    return [
      ...(ending.ms > (isExcused ? limitOf(around) : HANG_MS) ? [saying('P9: an answer took too long: ')] : []),
      ...(ending.error && !isExcused ? [saying('')] : []),
      ...(ending.error && isExcused && !isDocumented(ending, around) ? [saying('P9: not a documented failure: ')] : []),
    ];
  });
  const slow = troubles.flatMap((trouble) =>
    KINDS.flatMap((kind) => {
      const own = checked.filter((one) => one.ending.kind === kind && !one.isExcused && one.around[0] === trouble);
      const p99 = atShare(
        own.map(({ ending }) => ending.ms),
        0.99,
      );
      return p99 > OTHERS_P99_MS ? [`${nameOf(trouble)}: it is not needed, and p99 of ${kind} is ${p99} ms`] : [];
    }),
  );
  return [...wrong, ...slow];
}

function limitOf([first, ...more]: readonly PastTrouble[]): number {
  const isDatabaseAway = first?.name.endsWith('-database') && first.fault !== 'slow';
  return isDatabaseAway && more.length === 0 ? FAST_MS : HANG_MS;
}

/** Whether a refusal has a code, a sentence and when to come again; for the failure of one thing, the code that is documented for it. */
function isDocumented({ kind, error }: Ending, around: readonly PastTrouble[]): boolean {
  if (!(error instanceof WrongAnswer)) return false;
  const { status, text, headers } = error.reply;
  const [, code = ''] = /"error":"(\w+)"/.exec(text) ?? [];
  if (code === '' || !text.includes('"message":"') || headers['retry-after'] === undefined) return false;
  if (around.length > 1 || around.some(({ fault }) => fault === 'killed')) return REFUSALS.includes(status);
  if (!PAID_KINDS.includes(kind)) return status === 503 && code === 'service_unavailable';
  return status === 429 || (status === 502 && PAID_ERRORS.includes(code));
}

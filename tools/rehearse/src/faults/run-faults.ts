import { setTimeout as sleep } from 'node:timers/promises';
import { BadUsage, CommandLine, type Streams, choices, flag, integer } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { settledBooks } from '../books';
import type { Cluster } from '../cluster/cluster';
import { ENVIRONMENT, sentenceOf, type Surroundings, surroundingsOf, table, withCluster } from '../rehearsal';
import { steadyMix, type Thing, Traffic } from '../traffic/traffic';
import { FAULTS as KINDS_OF_FAULT, type Fault, Lines, THINGS } from './lines';
import { randomFaults } from './random-faults';
import { BACK_WITHIN_MS, phaseVerdict, type Phase, wrongInFaults } from './verdicts';

type Wanted = { rate: number } & ({ things: readonly Thing[] } | { minutes: number; seed: number });

export const FAULTS = new CommandLine({
  call: 'npm run faults',
  about: `Starts a cluster of its own, sends mixed requests to it, and lets each thing below the services fail: nobody listens (20 s),
everything hangs (20 s), every answer comes 500 ms later (10 s). Who does not need the thing must be answered as ever; who does
must be refused soon, and be served again within 5 s of the end; no process may end; no effect may be lost or double.`,
  usage: [
    'npm run faults                                       each thing in turn: 14 minutes',
    'npm run faults -- --only redis --only stripe         these alone',
    'npm run faults -- --random --minutes 15 --seed 7     faults and kills at random; then the books are compared',
  ],
  parts: { Things: THINGS.join('\n') },
  options: {
    only: choices({ help: 'of the things; may be given more than once', of: THINGS }),
    random: flag('faults of all of them, with SIGKILL of processes, at times that the seed decides'),
    minutes: integer({ help: 'of --random', from: 1, to: 600, fallback: 15 }),
    seed: integer({ help: 'of --random', from: 0, to: 2 ** 31 - 1, fallback: 1 }),
    rate: integer({ help: 'requests a second', from: 10, to: 1_000, fallback: 50 }),
  },
  environment: ENVIRONMENT,
  ends: 'Ends with 1 and a sentence for each thing that is wrong.',
  read: ({ only, random, minutes, seed, rate }): Wanted => {
    if (random && only) throw new BadUsage('--random takes all things: leave out --only');
    return random ? { rate, minutes, seed } : { rate, things: only ?? THINGS };
  },
});

const PEOPLE = 10;
const REPEAT_EVERY_MS = 1_000;
/** From the last fault until everybody has an answer, all books say the same, and every mail has come. */
const SETTLED_WITHIN_MS = 60_000;

/** @returns the exit code: 1 when anything is wrong */
export async function runFaults(wanted: Wanted, env: Environment, streams: Streams): Promise<number> {
  const surroundings = surroundingsOf(env, streams);
  const { report } = surroundings;
  const between = await Lines.open();
  const about = { name: 'faults', allIsWell: 'All promises hold.', between };
  return withCluster(surroundings, about, async (cluster) => {
    await using traffic = new Traffic(cluster.targets);
    let isSettled = false;
    // As buyers and the provider do: what has no answer is sent again.
    const repeat = async (): Promise<void> => {
      for (; !isSettled; await sleep(REPEAT_EVERY_MS)) await traffic.repeatUnanswered();
    };
    let repeating: Promise<void> | undefined;
    try {
      report('people register and upgrade');
      await traffic.prepare(PEOPLE);
      traffic.start(steadyMix(wanted.rate));
      repeating = repeat();
      const conclude =
        'things' in wanted
          ? await eachFault(cluster, between, traffic, wanted.things, surroundings)
          : await randomly(cluster, between, traffic, wanted, surroundings);
      await traffic.stop();
      report('the traffic has ended: comparing the books');
      const books = await settled(cluster, traffic, () => (isSettled = true));
      return [...books, ...conclude()];
    } finally {
      isSettled = true;
      await repeating;
    }
  }).finally(() => between.close());
}

/** How long each fault lasts. */
const FAULT_MS: Readonly<Record<Fault, number>> = { refused: 20_000, hung: 20_000, slow: 10_000 };
/** Until all must be back, and then as long again. */
const AFTER_MS = 2 * BACK_WITHIN_MS;
const CALM_MS = 5_000;

/**
 * Every fault of some things, one after the other, under traffic.
 * @returns prints what it was like, and says what was wrong; called when the traffic has ended, it has every answer
 */
async function eachFault(
  { replicas }: Cluster,
  lines: Lines,
  { endings }: Traffic,
  things: readonly Thing[],
  { report, out }: Surroundings,
): Promise<() => string[]> {
  const phases: Phase[] = [];
  await sleep(CALM_MS);
  for (const [thing, fault] of things.flatMap((each) => KINDS_OF_FAULT.map((kind) => [each, kind] as const))) {
    report(`${thing} is ${fault}`);
    const before = replicas.map(({ process }) => process.readyPid);
    const from = performance.now();
    await lines.fail(thing, fault, FAULT_MS[fault]);
    const until = performance.now();
    await sleep(AFTER_MS);
    const changed = replicas.filter(({ process }, index) => process.readyPid !== before[index]);
    phases.push({ thing, fault, from, until, ended: changed.map(({ process }) => `${process.name} has ended`) });
  }
  return () => {
    // What was under way when a fault began is part of it.
    const endedIn = (from: number, until = Infinity) =>
      endings.filter(({ at, ms }) => at + ms >= from && at + ms < until);
    const calm = endedIn(0, phases[0]!.from).filter(({ error }) => error);
    const found = phases.map((phase, number) => phaseVerdict(phase, endedIn(phase.from, phases[number + 1]?.from)));
    const heads = ['fault', 'requests', 'failed', 'others p99 ms', 'back after ms'];
    out(
      `\n${table(
        heads,
        found.map(({ row }) => row),
      )}`,
    );
    return [...calm.map((one) => `without a fault: ${sentenceOf(one)}`), ...found.flatMap(({ wrong }) => wrong)];
  };
}

async function randomly(
  cluster: Cluster,
  lines: Lines,
  { endings }: Traffic,
  wanted: { minutes: number; seed: number },
  { report, out }: Surroundings,
): Promise<() => string[]> {
  const down = await randomFaults(cluster, lines, wanted, report);
  return () => {
    const failed = endings.filter(({ error }) => error).length;
    out(`${endings.length} requests, ${failed} of them failed while things failed.\n`);
    return [...down, ...wrongInFaults(endings)];
  };
}

/** @returns a sentence for each thing that is lost, double, or contradicts another when all is well again */
async function settled(cluster: Cluster, traffic: Traffic, stopRepeating: () => void): Promise<string[]> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  const { agents, webhooks, people } = traffic;
  const { recipients } = cluster.backing.mails;
  const missing = () => [
    ...[...agents.unanswered.keys()].map((nonce) => `P1: the payment ${nonce} gets no answer when it is repeated`),
    ...[...webhooks.unanswered.keys()].map((id) => `P7: the event ${id} is not taken when it is repeated`),
    ...people.registered.filter((email) => !recipients.includes(email)).map((email) => `no mail to ${email} was sent`),
  ];
  while (missing().length > 0 && performance.now() < deadline) await sleep(REPEAT_EVERY_MS);
  stopRepeating();
  const left = Math.max(0, deadline - performance.now());
  return [...missing(), ...(await settledBooks(cluster.backing, traffic, left))];
}

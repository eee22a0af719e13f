import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare/compare';
import { AccountsStage, type BenchPerson } from './accounts-stage';
import {
  bareInserts,
  besideLogins,
  type BesideLogins,
  bytesOf,
  importSeconds,
  knownOverUnknown,
  logOf,
  quantile,
  rateOf,
  residentMb,
  timesOf,
} from './measures';

const FIVE_YEARS = 1_826;
const ONE_YEAR = 365;
/** Of 600 the sixth slowest is p99: of fewer one pause of the machine would decide it. */
const ANALYSES = 600;
const UNTIMED = 200;
const IMPORTED = 45_000;
const LOGINS_PER_SECOND = 60;
/** Of an address that is known, and of one that is not. */
const LOGINS_COMPARED = 240;
/** Whose requests come in turn: twice as many as there are connections. */
const PEOPLE = 32;

/** Figures of one run; ratios against what was measured beside them. */
export interface AccountsTiming extends BesideLogins {
  /** Of the built program, until it answers. */
  startSeconds: number;
  /** Of many people. */
  logsPerSecond: number;
  /** To bare inserts of the same row. */
  logRatio: number;
  /** When all of them are of one person, whose row each of them locks. */
  onePersonLogRatio: number;
  mePerSecond: number;
  /** To a bare Fastify. */
  meRatio: number;
  analyzeP99Ms: number;
  /** Five years to one. */
  analyzeRatio: number;
  listP99Ms: number;
  knownOverUnknown: number;
  importSeconds: number;
  startedMb: number | null;
  importingMb: number | null;
  afterwardsMb: number | null;
}

/**
 * Accounts as people use it; about two minutes.
 * @param profileTo folder for a CPU profile
 */
export async function benchAccounts(rounds: number, seconds: number, profileTo?: string): Promise<AccountsTiming> {
  const stage = await AccountsStage.set(profileTo);
  try {
    const startedMb = await residentMb(stage.app);
    const memory = await duringImports(stage);
    const [five, one] = [await stage.person(FIVE_YEARS), await stage.person(ONE_YEAR)];
    const reads = await timeReads(stage, five, one);
    const people = [one, ...(await stage.people(PEOPLE - 1, 0))];
    const rates = await timeRates(stage, people, rounds, seconds);
    // Somebody whose logs nobody else has added to, and another who signs in: sessions beyond twenty end.
    const waiting = await stage.person(ONE_YEAR);
    const beside = await besideLogins(stage, { waiting, signingIn: one }, LOGINS_PER_SECOND, seconds * 2);
    return {
      ...rates,
      ...reads,
      ...memory,
      ...beside,
      ...{ startSeconds: stage.startSeconds, startedMb },
      knownOverUnknown: await knownOverUnknown(stage, one, LOGINS_COMPARED),
    };
  } finally {
    await stage.close();
  }
}

async function timeReads(stage: AccountsStage, five: BenchPerson, one: BenchPerson) {
  const { url } = stage.app;
  const analyze = ({ token }: BenchPerson): (() => Buffer) => {
    const request = bytesOf({ method: 'POST', path: '/v1/habits/analyze', token, body: {} });
    return () => request;
  };
  const list = bytesOf({ method: 'GET', path: '/v1/habits', token: five.token });
  for (const person of [five, one]) await timesOf(url, analyze(person), UNTIMED);
  const [ofFive, ofOne]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < ANALYSES; turn += 10) {
    ofFive.push(...(await timesOf(url, analyze(five), 10)));
    ofOne.push(...(await timesOf(url, analyze(one), 10)));
  }
  const lists = (await timesOf(url, () => list, ANALYSES + UNTIMED)).slice(UNTIMED);
  const analyzeP99Ms = quantile(ofFive, 0.99);
  return { analyzeP99Ms, analyzeRatio: analyzeP99Ms / quantile(ofOne, 0.99), listP99Ms: quantile(lists, 0.99) };
}

async function timeRates(stage: AccountsStage, people: readonly BenchPerson[], rounds: number, seconds: number) {
  const profiles = inTurn(people.map(({ token }) => bytesOf({ method: 'GET', path: '/v1/auth/me', token })));
  const reads = await takeTurns(rounds, {
    me: () => rateOf(stage.app.url, seconds, 200, profiles),
    echo: () => rateOf(stage.echo.url, seconds, 200, profiles),
  });
  let logs = 0;
  const everybody = inTurn(people);
  // After the reads: what the database does behind its answers to writes goes on when these have ended.
  const writes = await takeTurns(rounds, {
    log: () => rateOf(stage.app.url, seconds, 201, () => logOf(everybody(), logs++)),
    bare: () => bareInserts(stage.databaseUrl, everybody, seconds),
    onePersonLog: () => rateOf(stage.app.url, seconds, 201, () => logOf(people[0]!, logs++)),
  });
  const ratio = (ours: number[], limit: number[]): number => median(ours.map((rate, round) => rate / limit[round]!));
  return {
    ...{ logsPerSecond: median(writes.log), logRatio: ratio(writes.log, writes.bare) },
    onePersonLogRatio: ratio(writes.onePersonLog, writes.bare),
    ...{ mePerSecond: median(reads.me), meRatio: ratio(reads.me, reads.echo) },
  };
}

/** @returns the rates of each round; the first one warms up */
async function takeTurns<Name extends string>(
  rounds: number,
  turns: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(turns) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const rate = await turns[name]();
      if (round > 0) found[name].push(rate);
    }
  }
  return found;
}

function inTurn<Item>(items: readonly Item[]): () => Item {
  let next = 0;
  return () => items[next++ % items.length]!;
}

async function duringImports(stage: AccountsStage) {
  const people = [await stage.person(0), await stage.person(0)];
  const alone = await importSeconds(stage, people[0]!.token, IMPORTED, 'alone');
  let importingMb: number | null = null;
  let isDone = false;
  const watch = async (): Promise<void> => {
    while (!isDone) {
      const now = await residentMb(stage.app);
      if (now !== null) importingMb = Math.max(importingMb ?? 0, now);
      await sleep(20);
    }
  };
  const imports = Promise.all(people.map(({ token }, place) => importSeconds(stage, token, IMPORTED, `both ${place}`)));
  await Promise.all([watch(), imports.finally(() => (isDone = true))]);
  await sleep(3_000);
  return { importSeconds: alone, importingMb, afterwardsMb: await residentMb(stage.app) };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlCommand, Ledger } from '@evenkeel/facilitator';
import { SystemClock } from '@evenkeel/kernel';
import { audit } from '@evenkeel/ops/audit';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { Buyer } from '../buyer.fixture';
import { ENTITIES, MIGRATIONS } from '../database';
import { analyze, terms } from '../payments/payment.fixture';
import { Attackers, paying } from './attacks.fixture';
import { Client, GIVEN_UP, pace } from './client.fixture';

/** 300 with `npm run test:hostile`. */
const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 12);
/** The short run measures no speed, needs less than the whole machine, and allows the facilitator more time. */
const IS_LONG = SECONDS > 12;
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const QUIET_SECONDS = IS_LONG ? 30 : 5;
const SHOTS_PER_SECOND = IS_LONG ? 25 : 10;
const TIMES = IS_LONG ? {} : { FACILITATOR_VERIFY_TIMEOUT_MS: '6000', PAID_ANSWER_BUDGET_MS: '15000' };
const ATTACKERS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
const HONEST = '127.0.0.5';
const CALLS_PER_SECOND = 20;
/** So many that no wallet reaches its limit. */
const WALLETS = 40;
/** Fewer than the slots of a payer: more calls, sent after a pause of the machine, would be refused rightly. */
const MOST_AT_ONCE = 20;
const REPEATS = 10;

/** Loaded into the gateway: at each SIGUSR2 it prints the bytes in use after a garbage collection. */
const PRINT_MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  let reading = 0;
  process.on('SIGUSR2', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    // The second run frees what the first one finalized.
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    console.log(JSON.stringify({ reading: ++reading, bytes: heapUsed + external }));
  });
`)}`;

let database: TestDatabase;
let facilitatorUrl: string;
let gateway: Program;
let gatewayUrl: string;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  const facilitator = { FACILITATOR_PORT: '0', FACILITATOR_CONTROL: 'on' };
  facilitatorUrl = (await Program.start('tools/facilitator/src/main.ts', facilitator).ready()).url;
  // The limits are those of production, since the attacks test them.
  gateway = Program.service('apps/agent-gateway/src/main.ts', {
    NODE_OPTIONS: `--import=${PRINT_MEMORY}`,
    PUBLIC_BASE_URL: 'http://localhost:3000',
    DATABASE_URL: database.url,
    FACILITATOR_URL: facilitatorUrl,
    X402_RPC_URL: 'none',
    X402_PAY_TO: terms.payTo,
    ANSWER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    RECEIPT_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}`,
    ...TIMES,
  });
  gatewayUrl = (await gateway.ready()).url;
}, 120_000);
afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

async function control(command: ControlCommand): Promise<void> {
  const response = await fetch(`${facilitatorUrl}/control`, { method: 'POST', body: JSON.stringify(command) });
  if (!response.ok) throw new Error(await response.text());
}

let readings = 0;
async function memoryBytes(): Promise<number> {
  const reading = ++readings;
  gateway.kill('SIGUSR2');
  return Number((await gateway.prints(new RegExp(`"reading":${reading},"bytes":(\\d+)`)))[1]);
}

interface HonestCall {
  nonce: string;
  first: string;
  /** After identical repeats. */
  last: string;
  tookMs: number;
}

/** Pays for calls at a steady rate from one address, and repeats a failed call until it gets its answer. */
function honestCalls(): (seconds: number) => Promise<HonestCall[]> {
  const client = new Client(gatewayUrl, HONEST, MOST_AT_ONCE);
  const buyers = Array.from({ length: WALLETS }, () => new Buyer(new SystemClock()));
  let made = 0;
  const call = async (): Promise<HonestCall> => {
    const { nonce, header } = await buyers[made++ % WALLETS]!.sign();
    const begun = performance.now();
    const first = await client.send(paying(header));
    const tookMs = performance.now() - begun;
    let last = first;
    for (let repeat = 0; last !== '200' && repeat < REPEATS; repeat++) {
      await sleep(500);
      last = await client.send(paying(header));
    }
    return { nonce, first, last, tookMs };
  };
  return (seconds) => pace(CALLS_PER_SECOND, seconds, call);
}

function p99(calls: readonly HonestCall[]): number {
  const times = calls.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  return Math.round(times[Math.ceil(times.length * 0.99) - 1]!);
}

/** The statuses that the document states for a call; of 5xx only 502. */
function documentedStatuses(): string[] {
  const file = join(__dirname, '../../../../libs/contracts/openapi/agent-gateway.json');
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, { post: { responses: Record<string, unknown> } }>;
  };
  const statuses = [analyze.path, '/mcp'].flatMap((path) => Object.keys(paths[path]!.post.responses));
  return statuses.filter((status) => status < '500' || status === '502');
}

/** A body that never ends has no answer before 15 s. */
function undocumented(outcomes: Attackers['outcomes']): string[] {
  const documented = documentedStatuses();
  return Object.entries(outcomes).flatMap(([attack, seen]) =>
    Object.keys(seen)
      .filter((outcome) => !documented.includes(outcome.split(' ')[0]!))
      .filter((outcome) => !(attack === 'endlessBody' && outcome === GIVEN_UP))
      .map((outcome) => `${attack}: ${outcome}`),
  );
}

it(
  `${SECONDS} s of attacks from three addresses do not disturb an honest agent at a fourth (seed ${SEED})`,
  async () => {
    const attackers = new Attackers(gatewayUrl, ATTACKERS, SEED, SHOTS_PER_SECOND);
    for (const command of attackers.commands) await control(command);
    const pay = honestCalls();
    const warmUp = await pay(3);
    const quiet = await pay(QUIET_SECONDS);
    const early = sleep((SECONDS / 3) * 1_000).then(() => memoryBytes());
    const [beside] = await Promise.all([pay(SECONDS), attackers.attack(SECONDS)]);
    const [earlyBytes, lateBytes] = [await early, await memoryBytes()];

    const all = [...warmUp, ...quiet, ...beside];
    const { settlements } = (await (await fetch(`${facilitatorUrl}/ledger`)).json()) as Ledger;
    const failed = beside.flatMap(({ first }) => (first === '200' ? [] : [first]));
    const report = {
      failed,
      p99: { quiet: p99(quiet), beside: p99(beside) },
      memory: { earlyBytes, lateBytes },
      attacks: attackers.outcomes,
      undocumented: undocumented(attackers.outcomes),
      unanswered: all.filter(({ last }) => last !== '200'),
      offences: await audit(database.dataSource),
    };
    if (IS_LONG) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    expect(report).toMatchObject({ undocumented: [], unanswered: [], offences: [] });
    // Each honest call was charged once, and nothing else.
    expect(settlements.map(({ nonce }) => nonce).toSorted()).toEqual(all.map(({ nonce }) => nonce).toSorted());
    expect([failed, failed.length <= beside.length * 0.01]).toEqual([failed, true]);
    expect(lateBytes).toBeLessThanOrEqual(earlyBytes * 1.1 + 8_000_000);
    if (IS_LONG) expect(p99(beside)).toBeLessThanOrEqual(3 * Math.max(p99(quiet), 50));
  },
  (SECONDS + QUIET_SECONDS + 120) * 1_000,
);

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
import { Client, NO_ANSWER, pace } from './client.fixture';

/** 300 with `npm run test:hostile`. */
const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 12);
/** The short run measures no speed, needs less than the whole machine, and allows the facilitator more time. */
const IS_LONG = SECONDS > 12;
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const QUIET_SECONDS = IS_LONG ? 30 : 5;
const TIMES = IS_LONG ? {} : { FACILITATOR_VERIFY_TIMEOUT_MS: '6000', PAID_ANSWER_BUDGET_MS: '15000' };
const ATTACKERS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
/** So many that no wallet reaches its limit. */
const WALLETS = 40;
/** Fewer than the slots of a payer: more calls, sent after a pause of the machine, would be refused rightly. */
const MOST_AT_ONCE = 20;

let database: TestDatabase;
let facilitatorUrl: string;
let gatewayUrl: string;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  const facilitator = { FACILITATOR_PORT: '0', FACILITATOR_CONTROL: 'on' };
  facilitatorUrl = (await Program.start('tools/facilitator/src/main.ts', facilitator).ready()).url;
  // The limits are those of production, since the attacks test them.
  const gateway = Program.service('apps/agent-gateway/src/main.ts', {
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

/** Pays for calls at a steady rate from one address, and repeats a failed call until it gets its answer. */
function honestAgent() {
  const client = new Client(gatewayUrl, '127.0.0.5', MOST_AT_ONCE);
  const buyers = Array.from({ length: WALLETS }, () => new Buyer(new SystemClock()));
  let made = 0;
  const call = async () => {
    const { nonce, header } = await buyers[made++ % WALLETS]!.sign();
    const begun = performance.now();
    const first = await client.send(paying(header));
    const tookMs = performance.now() - begun;
    let last = first;
    for (let repeat = 0; last !== '200' && repeat < 10; repeat++) {
      await sleep(500);
      last = await client.send(paying(header));
    }
    return { nonce, first, last, tookMs };
  };
  return { pay: (seconds: number) => pace(20, seconds, call), close: () => client.close() };
}

function p99(calls: readonly { tookMs: number }[]): number {
  const times = calls.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  return Math.round(times[Math.ceil(times.length * 0.99) - 1]!);
}

/** The answers without a documented status; of 5xx only 502 is one. A body that never ends may have none. */
function undocumented(outcomes: Attackers['outcomes']): string[] {
  const file = join(__dirname, '../../../../libs/contracts/openapi/agent-gateway.json');
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, { post: { responses: Record<string, unknown> } }>;
  };
  const documented = [analyze.path, '/mcp'].flatMap((path) => Object.keys(paths[path]!.post.responses));
  const isDocumented = (status: string) => documented.includes(status) && (status < '500' || status === '502');
  return Object.entries(outcomes).flatMap(([attack, seen]) =>
    Object.keys(seen)
      .filter((outcome) => !isDocumented(outcome.split(' ')[0]!))
      .filter((outcome) => attack !== 'endlessBody' || outcome !== NO_ANSWER)
      .map((outcome) => `${attack}: ${outcome}`),
  );
}

it(
  `${SECONDS} s of attacks from three addresses do not disturb an honest agent at a fourth (seed ${SEED})`,
  async () => {
    const attackers = new Attackers(gatewayUrl, ATTACKERS, SEED, IS_LONG ? 25 : 10);
    for (const command of attackers.commands) await control(command);
    const honest = honestAgent();
    const quiet = [...(await honest.pay(3)), ...(await honest.pay(QUIET_SECONDS))];
    const [beside] = await Promise.all([honest.pay(SECONDS), attackers.attack(SECONDS)]);
    await honest.close();

    const all = [...quiet, ...beside];
    const failed = beside.flatMap(({ first }) => (first === '200' ? [] : [first]));
    const report = {
      undocumented: undocumented(attackers.outcomes),
      unanswered: all.filter(({ last }) => last !== '200'),
      offences: await audit(database.dataSource),
    };
    const seen = { failed, p99: { quiet: p99(quiet), beside: p99(beside) }, attacks: attackers.outcomes };
    if (IS_LONG) process.stdout.write(`${JSON.stringify({ ...seen, ...report }, null, 2)}\n`);
    expect({ ...seen, ...report }).toMatchObject({ undocumented: [], unanswered: [], offences: [] });
    // Each honest call was charged once, and nothing else.
    const { settlements } = (await (await fetch(`${facilitatorUrl}/ledger`)).json()) as Ledger;
    expect(settlements.map(({ nonce }) => nonce).toSorted()).toEqual(all.map(({ nonce }) => nonce).toSorted());
    expect([failed, failed.length <= beside.length * 0.01]).toEqual([failed, true]);
    if (IS_LONG) expect(p99(beside)).toBeLessThanOrEqual(3 * Math.max(p99(quiet), 50));
  },
  (SECONDS + QUIET_SECONDS + 120) * 1_000,
);

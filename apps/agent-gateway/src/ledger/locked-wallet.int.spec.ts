import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '@evenkeel/ops/audit';
import { poolOf } from '@evenkeel/platform/persistence';
import { eventually } from '@evenkeel/platform/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { SignedPayment } from '../buyer.fixture';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { ledgerPool } from './ledger-pool';

/** All others are served in it on a busy machine, which nobody is who waits for the lock: it outlasts every budget. */
const BUDGET_MS = 8_000;
/** Shorter than a statement may take. */
const HURRIED_MS = 2_000;
const WAVES = 5;
const CALLS_OF_OTHERS = 6;

/** Not the address of the others, whose slots it would take. */
const LOCKED_FROM = { headers: { 'x-forwarded-for': '192.0.2.1' } };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: {
      PAID_ANSWER_BUDGET_MS: String(BUDGET_MS),
      FACILITATOR_VERIFY_TIMEOUT_MS: '6000',
      TRUSTED_PROXY_HOPS: '1',
    },
  });
  await callsOfOthers(); // opens the connections
});
afterAll(() => gateway.close());

/** A session of another process, in the middle of a transaction. */
async function hold(sql: string, parameters: string[]): Promise<() => Promise<void>> {
  const session = new Client({ connectionString: gateway.database.url });
  await session.connect();
  await session.query('BEGIN');
  await session.query(sql, parameters);
  return async () => {
    await session.query('ROLLBACK');
    await session.end();
  };
}

/** Each by a wallet of its own. @returns their statuses */
async function callsOfOthers(besides: () => Promise<unknown> = async () => undefined): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let wave = 0; wave < WAVES; wave++) {
    await besides();
    const call = async () => statuses.add((await gateway.pay(await gateway.aBuyer().sign())).status);
    await Promise.all(Array.from({ length: CALLS_OF_OTHERS }, call));
  }
  return statuses;
}

/** Looks all the time. @returns a function that ends it and returns how many statements, at most, waited for a row at once */
function watchWaiting(): () => Promise<number> {
  const waiting = `SELECT count(*)::integer AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')`;
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const [row] = await gateway.ledger.dataSource.query<[{ count: number }]>(waiting);
      most = Math.max(most, row.count);
      await sleep(10);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return most;
  };
}

const LOCKS: [string, { isKnown: boolean; sql: string; settled: number }][] = [
  ['locked', { isKnown: true, sql: 'SELECT FROM wallets WHERE address = $1 FOR UPDATE', settled: 1 }],
  [
    'being made, which its claims must wait for',
    { isKnown: false, sql: 'INSERT INTO wallets VALUES ($1)', settled: 0 },
  ],
];

it.each(LOCKS)('a wallet that is %s: all others are served as before', async (_, { isKnown, sql, settled }) => {
  const buyer = gateway.aBuyer();
  if (isKnown) expect((await gateway.pay(await buyer.sign())).status).toBe(200);

  const release = await hold(sql, [buyer.wallet]);
  const mostWaiting = watchWaiting();
  const payments: SignedPayment[] = [];
  const answers: Promise<Reply>[] = [];
  const others = await callsOfOthers(async () => {
    const payment = await buyer.sign();
    payments.push(payment);
    answers.push(gateway.pay(payment, LOCKED_FROM));
  });
  expect([...others]).toEqual([200]);

  for (const { status, body } of await Promise.all(answers)) {
    expect([status, body.error]).toEqual([502, 'settlement_unknown']);
  }
  for (const { nonce } of payments) expect(gateway.facilitator.ledger(nonce).settlements).toHaveLength(settled);
  expect(await mostWaiting()).toBe(1); // one row of the wallet, and no batch with it
  await release();

  for (const payment of payments) {
    await eventually(async () => expect((await gateway.pay(payment)).status).toBe(200));
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true, calls: 1 });
    expect(gateway.facilitator.ledger(payment.nonce).settlements).toHaveLength(1);
  }
  const calls = payments.length + Number(isKnown);
  expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: calls * 50_000, calls });
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

it('a claim that is committed after its request was over: the repeat settles it, and waits for no process', async () => {
  await gateway.ledger.dataSource.query(`
    CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${HURRIED_MS / 1_000}); RETURN NULL; END $$;
    CREATE TRIGGER take_long AFTER INSERT ON payments EXECUTE FUNCTION take_long();`);
  const payment = await gateway.aBuyer().sign();
  const settings = { PAID_ANSWER_BUDGET_MS: String(HURRIED_MS) };
  const hurried = await startGateway({ besides: gateway, settings });
  const { status, body } = await hurried.pay(payment);
  expect([status, body.error]).toEqual([502, 'settlement_unknown']);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
  await gateway.ledger.dataSource.query('DROP FUNCTION take_long CASCADE'); // waits for the claim
  await hurried.close();

  await eventually(async () => expect((await gateway.pay(payment)).status).toBe(200));
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  expect(gateway.facilitator.ledger(payment.nonce).settlements).toHaveLength(1);
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

describe('the connections of claims and settlements', () => {
  async function payFor(buyer = gateway.aBuyer()): Promise<number> {
    return (await gateway.pay(await buyer.sign())).status;
  }

  async function takeAll(pool: ReturnType<typeof poolOf>) {
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    return () => taken.forEach((connection) => connection.release());
  }

  it('claims and settles while all other connections are taken', async () => {
    const buyer = gateway.aBuyer();
    expect(await payFor(buyer)).toBe(200); // the wallet and the requirements are known
    const release = await takeAll(poolOf(gateway.app.get(DataSource)));
    expect(await Promise.all(Array.from({ length: 10 }, () => payFor(buyer)))).toEqual(Array(10).fill(200));
    release();
  });

  it('reads while all connections of claims and settlements are taken', async () => {
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).status).toBe(200);
    const release = await takeAll(ledgerPool(gateway.app.get(DataSource)));
    expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).status).toBe(200);
    expect((await gateway.pay(payment)).headers.get('idempotent-replayed')).toBe('true');
    release();
  });

  it('commits durably whatever the database says', async () => {
    const { dataSource } = gateway.ledger;
    const [{ name }] = await dataSource.query<[{ name: string }]>('SELECT current_database() AS name');
    await dataSource.query(`ALTER DATABASE "${name}" SET synchronous_commit = off`);
    const later = await startGateway({ besides: gateway });
    const laterSource = later.app.get(DataSource);
    const { rows } = await ledgerPool(laterSource).query('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    expect(await laterSource.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
    await later.close();
  });
});

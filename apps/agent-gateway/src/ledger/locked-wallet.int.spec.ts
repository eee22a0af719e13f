import { poolOf } from '@evenkeel/platform/persistence';
import { eventually } from '@evenkeel/platform/testing';
import { DataSource } from 'typeorm';
import type { SignedPayment } from '../buyer.fixture';
import { aGateway, type Reply, startGateway, upTo } from '../gateway.fixture';
import { ledgerPool } from './ledger-pool';

/** All others are served in it on a busy machine, which nobody is who waits for the lock: it outlasts every budget. */
const BUDGET_MS = 8_000;
/** Shorter than a statement may take. */
const HURRIED_MS = 2_000;

const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '6000', TRUSTED_PROXY_HOPS: '1' };
const gateway = aGateway({ settings: { ...settings, PAID_ANSWER_BUDGET_MS: String(BUDGET_MS) }, audited: true });
beforeAll(() => callsOfOthers()); // opens the connections

const payAlone = async (buyer = gateway.aBuyer()) => (await gateway.pay(await buyer.sign())).status;

/** Six at once, five times, each by a wallet of its own. @returns their statuses */
async function callsOfOthers(besides: () => Promise<unknown> = async () => undefined): Promise<Set<number>> {
  const statuses: number[] = [];
  for (let wave = 0; wave < 5; wave++) {
    await besides();
    statuses.push(...(await Promise.all(upTo(6).map(() => payAlone()))));
  }
  return new Set(statuses);
}

/** Settles it once, whatever happened before. */
async function expectSettledByRepeat(payment: SignedPayment): Promise<void> {
  await eventually(async () => expect((await gateway.pay(payment)).status).toBe(200));
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  expect(gateway.facilitator.ledger(payment.nonce).settlements).toHaveLength(1);
}

it.each([
  ['locked', true, 'SELECT FROM wallets WHERE address = $1 FOR UPDATE'],
  ['being made, which its claims must wait for', false, 'INSERT INTO wallets VALUES ($1)'],
])('a wallet that is %s: all others are served as before', async (_, isKnown, lock) => {
  const buyer = gateway.aBuyer();
  if (isKnown) expect(await payAlone(buyer)).toBe(200);
  const release = await gateway.ledger.lock(lock.replace('$1', `'${buyer.wallet}'`));
  let mostWaiting = 0;
  const payments: SignedPayment[] = [];
  const answers: Promise<Reply>[] = [];
  const others = await callsOfOthers(async () => {
    mostWaiting = Math.max(mostWaiting, await gateway.ledger.waitingForRows());
    const payment = await buyer.sign();
    payments.push(payment);
    // Not the address of the others, whose slots it would take.
    answers.push(gateway.pay(payment, { headers: { 'x-forwarded-for': '192.0.2.1' } }));
  });
  expect([...others]).toEqual([200]);
  for (const { status, body } of await Promise.all(answers)) {
    expect([status, body.error]).toEqual([502, 'settlement_unknown']);
  }
  const settled = Number(isKnown);
  for (const { nonce } of payments) expect(gateway.facilitator.ledger(nonce).settlements).toHaveLength(settled);
  expect(mostWaiting).toBe(1); // one row of the wallet, and no batch with it
  await release();

  for (const payment of payments) await expectSettledByRepeat(payment);
  const calls = payments.length + settled;
  expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: calls * 50_000, calls });
});

it('a claim that is committed after its request was over: the repeat settles it, and waits for no process', async () => {
  await gateway.query(`
    CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${HURRIED_MS / 1_000}); RETURN NULL; END $$;
    CREATE TRIGGER take_long AFTER INSERT ON payments EXECUTE FUNCTION take_long();`);
  const payment = await gateway.aBuyer().sign();
  const settings = { PAID_ANSWER_BUDGET_MS: String(HURRIED_MS) };
  const hurried = await startGateway({ besides: gateway, settings });
  expect((await hurried.pay(payment)).body.error).toBe('settlement_unknown');
  expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
  await gateway.query('DROP FUNCTION take_long CASCADE'); // waits for the claim
  await hurried.close();
  await expectSettledByRepeat(payment);
});

describe('the connections of claims and settlements', () => {
  async function takeAll(pool: ReturnType<typeof poolOf>) {
    const taken = await Promise.all(upTo(pool.options.max).map(() => pool.connect()));
    return () => taken.forEach((connection) => connection.release());
  }

  it('serve paid calls while all others are taken, and others serve repeats while all of these are', async () => {
    const source = gateway.app.get(DataSource);
    const buyer = gateway.aBuyer();
    expect(await payAlone(buyer)).toBe(200); // the wallet and the requirements are known
    let release = await takeAll(poolOf(source));
    expect(await Promise.all(upTo(10).map(() => payAlone(buyer)))).toEqual(Array(10).fill(200));
    release();
    const payment = await buyer.sign();
    await gateway.pay(payment);
    release = await takeAll(ledgerPool(source));
    expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).status).toBe(200);
    expect((await gateway.pay(payment)).headers.get('idempotent-replayed')).toBe('true');
    release();
  });

  it('commit durably whatever the database says', async () => {
    const [{ name } = {}] = await gateway.query<{ name?: string }>('SELECT current_database() AS name');
    await gateway.query(`ALTER DATABASE "${name}" SET synchronous_commit = off`);
    const later = await startGateway({ besides: gateway });
    for (const pool of [ledgerPool, poolOf]) {
      const { rows } = await pool(later.app.get(DataSource)).query('SHOW synchronous_commit');
      expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    }
    await later.close();
  });
});

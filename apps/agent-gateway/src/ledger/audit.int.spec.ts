import { audit } from '@evenkeel/ops/audit';
import type { QueryRunner } from 'typeorm';
import { aCredit, redeem } from '../credits/credit.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';

/** Payments of a wallet: one settled, one answered while its settlement is open, one refused; and a credit that was spent. */
interface Activity {
  settled: string;
  open: string;
  refused: string;
  credit: string;
}

let gateway: Gateway;
let made: Activity;
let runner: QueryRunner;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true });
  runner = gateway.ledger.dataSource.createQueryRunner();
  made = await activity();
});
afterAll(async () => {
  await runner.release();
  await gateway.close();
});

async function activity(): Promise<Activity> {
  const buyer = gateway.aBuyer();
  const ids: string[] = [];
  for (const [mode, status] of [
    ['ok', 200],
    ['reset', 200],
    ['refused', 402],
  ] as const) {
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode, on: 'settle', count: 1 });
    expect((await gateway.pay(payment)).status).toBe(status);
    ids.push((await gateway.ledger.payment(payment.nonce)).id);
  }
  const [settled, open, refused] = ids as [string, string, string];
  return { settled, open, refused, credit: await spentCredit() };
}

async function spentCredit(): Promise<string> {
  const { token, buyer } = await aCredit(gateway);
  // The test wrote the earlier payments of this wallet by hand: now they fit.
  const { dataSource } = gateway.ledger;
  await dataSource.query(
    `UPDATE wallets SET settled_micros = (SELECT sum(price_micros) FROM payments WHERE payer = address) WHERE address = $1`,
    [buyer.wallet],
  );
  await dataSource.query(
    `UPDATE outbox SET payload = payload || jsonb_build_object('rebateMicros', (SELECT earned_micros FROM wallets WHERE address = $1))
     WHERE aggregate = $1 AND type = 'payment.settled'`,
    [buyer.wallet],
  );
  expect((await redeem(gateway, token)).status).toBe(200);
  const [{ id }] = await dataSource.query<[{ id: string }]>('SELECT id FROM credits WHERE payer = $1', [buyer.wallet]);
  return id;
}

it('finds nothing after calls of every outcome', async () => {
  await activity();
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

it('reads through views that are read-only', async () => {
  const views = await gateway.ledger.dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.views WHERE table_schema = 'audit'`,
  );
  expect(views.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['payments', 'calls', 'credits', 'wallets', 'outbox']),
  );
  for (const { name } of views) {
    await expect(runner.query(`DELETE FROM audit.${name}`)).rejects.toThrow('cannot delete from view');
  }
});

const PAYER = '(SELECT payer FROM payments WHERE id = $1)';
/** Another call, of the one that this column says. */
const another = (column: string, values: string) => `
  INSERT INTO calls (id, ${column}endpoint, request_id, served_at)
  SELECT gen_random_uuid(), ${values}endpoint, request_id, served_at FROM calls`;

/** Changes in the ledger of `$1` that the audit must find. */
const PLANTED: [offence: string, of: keyof Activity, sql: string][] = [
  [
    'P1: an authorization has more than one payment',
    'refused',
    `ALTER TABLE payments DROP CONSTRAINT payments_authorization_key;
     INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object(
       'id', gen_random_uuid(), 'state', 'settling', 'created_at', now(), 'payment_identifier', 'another'))).*
     FROM payments p WHERE id = $1`,
  ],
  [
    'P1: a payment was announced as settled more than once',
    'settled',
    `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
     SELECT gen_random_uuid(), topic, aggregate, 4, type, subject, occurred_at, payload FROM outbox WHERE subject = $1`,
  ],
  [
    'P1: a charge has no call and no right to one: it is marked as served',
    'settled',
    'DELETE FROM calls WHERE payment_id = $1',
  ],
  ['P2: nobody looks after an open outcome', 'open', 'DELETE FROM payment_checks WHERE payment_id = $1'],
  [
    'P2: a claim is left behind and was not taken over',
    'refused',
    `UPDATE payments SET state = 'settling' WHERE id = $1`,
  ],
  [
    'P3: a payment covers more than one call',
    'settled',
    `ALTER TABLE calls DROP CONSTRAINT calls_payment_id_key;
     ${another('payment_id, ', 'payment_id, ')} WHERE payment_id = $1`,
  ],
  [
    'P3: a call is covered by a payment that was not made, or not marked as served',
    'settled',
    'UPDATE payments SET served = false WHERE id = $1',
  ],
  [
    'P3: a wallet was served more than once without a settlement',
    'refused',
    `UPDATE payments SET served = true WHERE id = $1;
     UPDATE wallets SET unpaid_calls = 1 WHERE address = ${PAYER}`,
  ],
  [
    'P3: the unpaid calls of a wallet are not those that failed after they were served',
    'settled',
    `UPDATE wallets SET unpaid_calls = 1 WHERE address = ${PAYER}`,
  ],
  [
    'P3: a call is covered by no payment and no credit, or by both',
    'settled',
    `ALTER TABLE calls DROP CONSTRAINT calls_check; ${another('', '')} WHERE payment_id = $1`,
  ],
  [
    'P4: a credit pays for more than one call',
    'credit',
    `DROP INDEX calls_credit_id_key; ${another('credit_id, ', 'credit_id, ')} WHERE credit_id = $1`,
  ],
  ['P4: a credit was spent without its call', 'credit', 'DELETE FROM calls WHERE credit_id = $1'],
  [
    'P4: a call is paid with a credit that was not spent',
    'credit',
    `${another('credit_id, ', 'gen_random_uuid(), ')} WHERE credit_id = $1`,
  ],
  [
    'P4: a credit was earned by no settled and answered payment of its wallet',
    'credit',
    'UPDATE credits SET earned_by = gen_random_uuid() WHERE id = $1',
  ],
  [
    'P4: credits and their events differ',
    'credit',
    `UPDATE outbox SET payload = payload || '{"changeMicros": 1}' WHERE subject = $1 AND type = 'credit.redeemed'`,
  ],
  [
    'P4: face issued and accrued are not what was earned and returned as change',
    'settled',
    `UPDATE wallets SET accrued_micros = accrued_micros + 1 WHERE address = ${PAYER}`,
  ],
  [
    'P4: a wallet has not earned what its settled payments were announced with',
    'settled',
    `UPDATE outbox SET payload = payload || '{"rebateMicros": 1}' WHERE subject = $1`,
  ],
  [
    'P5: settled and announced payments differ',
    'settled',
    `UPDATE outbox SET payload = payload || '{"amountMicros": 1}' WHERE subject = $1`,
  ],
  [
    'P5: a failed or open payment is not announced as such',
    'refused',
    `UPDATE outbox SET subject = 'another' WHERE subject = $1`,
  ],
  [
    'P5: the total of a wallet is not the sum of its settled payments',
    'settled',
    `UPDATE wallets SET settled_micros = settled_micros + 1 WHERE address = ${PAYER}`,
  ],
  [
    'P8: the events of an aggregate are not numbered 1, 2, 3 …',
    'refused',
    `UPDATE outbox SET aggregate_seq = 5 WHERE subject = $1`,
  ],
  [
    'P8: an event was published before an earlier one of its aggregate',
    'refused',
    `UPDATE outbox SET published_at = now() WHERE subject = $1`,
  ],
];

it.each(PLANTED)('finds what is planted, and nothing else: %s', async (offence, of, sql) => {
  await runner.startTransaction();
  try {
    await runner.query(sql.replaceAll('$1', `'${made[of]}'`));
    const found = await audit(runner);
    expect(found.map(({ promise, what }) => `${promise}: ${what}`)).toEqual([offence]);
    expect(found[0]?.row).not.toEqual({});
  } finally {
    await runner.rollbackTransaction();
  }
});

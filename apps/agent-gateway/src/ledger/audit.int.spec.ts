import { audit } from '@evenkeel/ops/audit';
import type { QueryRunner } from 'typeorm';
import { aCredit, redeem } from '../credits/credit.fixture';
import { aGateway } from '../gateway.fixture';

/** Payments of a wallet: one settled, one answered while its settlement is open, one refused; and a credit that was spent. */
const made = { settled: '', open: '', refused: '', credit: '' };

const gateway = aGateway({ silentAtOnce: true });
let runner: QueryRunner;
beforeAll(async () => {
  runner = gateway.ledger.dataSource.createQueryRunner();
  const buyer = gateway.aBuyer();
  for (const [kind, mode] of [
    ['settled', 'ok'],
    ['open', 'reset'],
    ['refused', 'refused'],
  ] as const) {
    const payment = await buyer.sign();
    gateway.control({ mode, on: 'settle', count: 1 });
    await gateway.pay(payment);
    made[kind] = (await gateway.ledger.payment(payment.nonce)).id;
  }
  made.credit = await spentCredit();
});
async function spentCredit(): Promise<string> {
  const { token, buyer } = await aCredit(gateway);
  // The test wrote the earlier payments of this wallet by hand: now they fit.
  for (const sql of [
    `UPDATE wallets SET settled_micros = (SELECT sum(price_micros) FROM payments WHERE payer = address) WHERE address = $1`,
    `UPDATE outbox SET payload = payload || jsonb_build_object('rebateMicros', (SELECT earned_micros FROM wallets WHERE address = $1))
     WHERE aggregate = $1 AND type = 'payment.settled'`,
  ]) {
    await gateway.query(sql, [buyer.wallet]);
  }
  expect((await redeem(gateway, token)).status).toBe(200);
  const [{ id }] = await runner.query('SELECT id FROM credits WHERE payer = $1', [buyer.wallet]);
  return id as string;
}

it('finds nothing after calls of every outcome', async () => {
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

it('reads through views that are read-only', async () => {
  const views = `SELECT table_name AS name FROM information_schema.views WHERE table_schema = 'audit'`;
  const names = (await gateway.query<{ name: string }>(views)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['payments', 'calls', 'credits', 'wallets', 'outbox']));
  for (const name of names) {
    await expect(runner.query(`DELETE FROM audit.${name}`)).rejects.toThrow('cannot delete from view');
  }
});

const OF_WALLET = 'WHERE address = (SELECT payer FROM payments WHERE id = $1)';
const EVENT = (member: string) => `UPDATE outbox SET payload = payload || '${member}' WHERE subject = $1`;
/** Another call, of the one that this column says. */
const another = (column: string, values: string) => `
  INSERT INTO calls (id, ${column}endpoint, request_id, served_at)
  SELECT gen_random_uuid(), ${values}endpoint, request_id, served_at FROM calls`;
const PAYMENT_AGAIN = `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
  'state', 'settling', 'created_at', now(), 'payment_identifier', 'another'))).* FROM payments p WHERE id = $1`;
const EVENT_AGAIN = `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
  SELECT gen_random_uuid(), topic, aggregate, 4, type, subject, occurred_at, payload FROM outbox WHERE subject = $1`;

/** Changes of the row `$1` that the audit must find, by what it says. */
const PLANTED: Record<string, Partial<typeof made>> = {
  'P1: an authorization has more than one payment': {
    refused: `ALTER TABLE payments DROP CONSTRAINT payments_authorization_key; ${PAYMENT_AGAIN}`,
  },
  'P1: a payment was announced as settled more than once': { settled: EVENT_AGAIN },
  'P1: a charge has no call and no right to one: it is marked as served': {
    settled: 'DELETE FROM calls WHERE payment_id = $1',
  },
  'P2: nobody looks after an open outcome': { open: 'DELETE FROM payment_checks WHERE payment_id = $1' },
  'P2: a claim is left behind and was not taken over': {
    refused: `UPDATE payments SET state = 'settling' WHERE id = $1`,
  },
  'P3: a payment covers more than one call': {
    settled: `ALTER TABLE calls DROP CONSTRAINT calls_payment_id_key;
      ${another('payment_id, ', 'payment_id, ')} WHERE payment_id = $1`,
  },
  'P3: a call is covered by a payment that was not made, or not marked as served': {
    settled: 'UPDATE payments SET served = false WHERE id = $1',
  },
  'P3: a wallet was served more than once without a settlement': {
    refused: `UPDATE payments SET served = true WHERE id = $1; UPDATE wallets SET unpaid_calls = 1 ${OF_WALLET}`,
  },
  'P3: the unpaid calls of a wallet are not those that failed after they were served': {
    settled: `UPDATE wallets SET unpaid_calls = 1 ${OF_WALLET}`,
  },
  'P3: a call is covered by no payment and no credit, or by both': {
    settled: `ALTER TABLE calls DROP CONSTRAINT calls_check; ${another('', '')} WHERE payment_id = $1`,
  },
  'P4: a credit pays for more than one call': {
    credit: `DROP INDEX calls_credit_id_key; ${another('credit_id, ', 'credit_id, ')} WHERE credit_id = $1`,
  },
  'P4: a credit was spent without its call': { credit: 'DELETE FROM calls WHERE credit_id = $1' },
  'P4: a call is paid with a credit that was not spent': {
    credit: `${another('credit_id, ', 'gen_random_uuid(), ')} WHERE credit_id = $1`,
  },
  'P4: a credit was earned by no settled and answered payment of its wallet': {
    credit: 'UPDATE credits SET earned_by = gen_random_uuid() WHERE id = $1',
  },
  'P4: credits and their events differ': { credit: `${EVENT('{"changeMicros": 1}')} AND type = 'credit.redeemed'` },
  'P4: face issued and accrued are not what was earned and returned as change': {
    settled: `UPDATE wallets SET accrued_micros = accrued_micros + 1 ${OF_WALLET}`,
  },
  'P4: a wallet has not earned what its settled payments were announced with': {
    settled: EVENT('{"rebateMicros": 1}'),
  },
  'P5: settled and announced payments differ': { settled: EVENT('{"amountMicros": 1}') },
  'P5: a failed or open payment is not announced as such': {
    refused: `UPDATE outbox SET subject = 'another' WHERE subject = $1`,
  },
  'P5: the total of a wallet is not the sum of its settled payments': {
    settled: `UPDATE wallets SET settled_micros = settled_micros + 1 ${OF_WALLET}`,
  },
  'P8: the events of an aggregate are not numbered 1, 2, 3 …': {
    refused: `UPDATE outbox SET aggregate_seq = 5 WHERE subject = $1`,
  },
  'P8: an event was published before an earlier one of its aggregate': {
    refused: `UPDATE outbox SET published_at = now() WHERE subject = $1`,
  },
};

it.each(Object.entries(PLANTED))('finds what is planted, and nothing else: %s', async (offence, planted) => {
  await runner.startTransaction();
  try {
    for (const [of, sql] of Object.entries(planted)) {
      await runner.query(sql.replaceAll('$1', `'${made[of as keyof typeof made]}'`));
    }
    const found = await audit(runner);
    expect(found.map(({ promise, what }) => `${promise}: ${what}`)).toEqual([offence]);
    expect(found[0]?.row).not.toEqual({});
  } finally {
    await runner.rollbackTransaction();
  }
});

import { audit } from '@evenkeel/platform/testing';
import type { QueryRunner } from 'typeorm';
import { startGateway, type Gateway } from '../gateway.fixture';

/** A wallet after three calls: one settled, one answered while its settlement is open, one refused. */
interface Activity {
  settled: string;
  open: string;
  refused: string;
}

let gateway: Gateway;
let made: Activity;
let runner: QueryRunner;
beforeAll(async () => {
  gateway = await startGateway();
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
  return { settled, open, refused };
}

it('finds nothing after calls of every outcome', async () => {
  await activity();
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

it('reads through views that nobody can write through', async () => {
  const views = await gateway.ledger.dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.views WHERE table_schema = 'audit'`,
  );
  expect(views.map(({ name }) => name)).toEqual(expect.arrayContaining(['payments', 'calls', 'wallets', 'outbox']));
  for (const { name } of views) {
    await expect(runner.query(`DELETE FROM audit.${name}`)).rejects.toThrow('cannot delete from view');
  }
});

type Plant = [sql: string, of?: keyof Activity][];

const PLANTED: [offence: string, plant: Plant][] = [
  [
    'P1: an authorization has more than one payment',
    [
      ['ALTER TABLE payments DROP CONSTRAINT payments_authorization_key'],
      [
        `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object(
           'id', gen_random_uuid(), 'state', 'settling', 'created_at', now(), 'payment_identifier', 'another'))).*
         FROM payments p WHERE id = $1`,
        'refused',
      ],
    ],
  ],
  [
    'P1: a payment was announced as settled more than once',
    [
      [
        `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
         SELECT gen_random_uuid(), topic, aggregate, 4, type, subject, occurred_at, payload FROM outbox WHERE subject = $1`,
        'settled',
      ],
    ],
  ],
  [
    'P1: a charge has no call and no right to one: it is marked as served',
    [['DELETE FROM calls WHERE payment_id = $1', 'settled']],
  ],
  ['P2: nobody looks after an open outcome', [['DELETE FROM payment_checks WHERE payment_id = $1', 'open']]],
  [
    'P2: a claim is left behind and was not taken over',
    [[`UPDATE payments SET state = 'settling' WHERE id = $1`, 'refused']],
  ],
  [
    'P3: a payment covers more than one call',
    [
      ['ALTER TABLE calls DROP CONSTRAINT calls_payment_id_key'],
      [
        `INSERT INTO calls (id, payment_id, endpoint, request_id, served_at)
         SELECT gen_random_uuid(), payment_id, endpoint, request_id, served_at FROM calls WHERE payment_id = $1`,
        'settled',
      ],
    ],
  ],
  [
    'P3: a call is covered by a payment that was not made, or not marked as served',
    [['UPDATE payments SET served = false WHERE id = $1', 'settled']],
  ],
  [
    'P3: a wallet was served more than once without a settlement',
    [
      ['UPDATE payments SET served = true WHERE id = $1', 'refused'],
      ['UPDATE wallets SET unpaid_calls = 1 WHERE address = (SELECT payer FROM payments WHERE id = $1)', 'refused'],
    ],
  ],
  [
    'P3: the unpaid calls of a wallet are not those that failed after they were served',
    [['UPDATE wallets SET unpaid_calls = 1 WHERE address = (SELECT payer FROM payments WHERE id = $1)', 'settled']],
  ],
  [
    'P5: settled and announced payments differ',
    [[`UPDATE outbox SET payload = payload || '{"amountMicros": 1}' WHERE subject = $1`, 'settled']],
  ],
  [
    'P5: a failed or open payment is not announced as such',
    [[`UPDATE outbox SET subject = 'another' WHERE subject = $1`, 'refused']],
  ],
  [
    'P5: the total of a wallet is not the sum of its settled payments',
    [
      [
        'UPDATE wallets SET settled_micros = settled_micros + 1 WHERE address = (SELECT payer FROM payments WHERE id = $1)',
        'settled',
      ],
    ],
  ],
  [
    'P8: the events of an aggregate are not numbered 1, 2, 3 …',
    [[`UPDATE outbox SET aggregate_seq = 5 WHERE subject = $1`, 'refused']],
  ],
  [
    'P8: an event was published before an earlier one of its aggregate',
    [[`UPDATE outbox SET published_at = now() WHERE subject = $1`, 'refused']],
  ],
];

it.each(PLANTED)('finds what is planted, and nothing else: %s', async (offence, plant) => {
  await runner.startTransaction();
  try {
    for (const [sql, of] of plant) await runner.query(sql, of && [made[of]]);
    const found = await audit(runner);
    expect(found.map(({ promise, what }) => `${promise}: ${what}`)).toEqual([offence]);
    expect(found[0]?.row).not.toEqual({});
  } finally {
    await runner.rollbackTransaction();
  }
});

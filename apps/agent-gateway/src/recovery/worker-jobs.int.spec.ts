import { AppRegistry } from '@evenkeel/platform/observability';
import { eventually, ScrapedPage } from '@evenkeel/platform/testing';
import { aGateway } from '../gateway.fixture';
import { RecoveryModule } from './recovery.module';
import { crashed, untilPayment } from './resolve-uncertain.fixture';

/** Set it higher to see what the worker does with millions of them. */
const EXPIRED = Number(process.env.EXPIRED_ROWS ?? 300_000);
/** Far more than it takes. */
const PATIENCE_MS = 60_000 * Math.max(1, EXPIRED / 500_000);
const MOST_AT_ONCE = 5_000;
const TABLES = [
  ['payment_answers', '(payment_id, status, body, engine_version, expires_at)', `200, '', '1'`],
  ['credit_answers', '(credit_id, idempotency_key, fingerprint, body, engine_version, expires_at)', `'', '', '', '1'`],
] as const;

const gateway = aGateway({ silentAtOnce: true, chain: true, modules: [RecoveryModule] });
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before

async function uncertain() {
  const payment = await gateway.aBuyer().sign();
  gateway.control({ mode: 'reset', on: 'settle', count: 1 });
  expect((await gateway.pay(payment)).status).toBe(200);
  return payment.nonce;
}

async function untilNoneIsDue(): Promise<void> {
  const due = () => gateway.query(`SELECT FROM payment_checks WHERE next_at <= $1`, [gateway.clock.now()]);
  await eventually(async () => expect(await due()).toEqual([]));
}

async function runsOf(duty: string, outcome = 'done'): Promise<number> {
  const page = new ScrapedPage(await gateway.app.get(AppRegistry).metrics());
  return page.value('evenkeel_worker_duty_seconds_count', { duty, outcome }) ?? 0;
}

/** Waits for that many more runs of a job than there were. */
async function untilMoreRuns(duty: string, outcome = 'done', more = 1): Promise<void> {
  const before = await runsOf(duty, outcome);
  await eventually(async () => expect(await runsOf(duty, outcome)).toBeGreaterThanOrEqual(before + more));
}

/** Expired answers, as after a long stop of the worker, and a server on which no statement may erase more than a slice. */
async function pileUp(): Promise<void> {
  // Not before all are there, or they would be erased as they come.
  const expiresAt = new Date(gateway.clock.now().getTime() + 5_000);
  await gateway.query(`
    CREATE FUNCTION refuse_large() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM gone) > ${MOST_AT_ONCE} THEN RAISE EXCEPTION 'too many at once'; END IF;
      RETURN NULL;
    END $$`);
  for (const [table, columns, values] of TABLES) {
    await gateway.query(`CREATE TRIGGER slices AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_large()`);
    for (let part = 0; part < EXPIRED / 50_000; part++) {
      const rows = `SELECT gen_random_uuid(), ${values}, $1 FROM generate_series(1, 50000)`;
      await gateway.query(`INSERT INTO ${table} ${columns} ${rows}`, [expiresAt]);
    }
  }
}

it(
  'erases expired answers in slices, and resolves what is uncertain meanwhile',
  async () => {
    const nonce = await uncertain();
    await pileUp();
    gateway.clock.advanceMs(6_000);
    await untilPayment(gateway, nonce, { state: 'settled' });
    for (const [table] of TABLES) {
      const expired = () => gateway.query(`SELECT FROM ${table} WHERE expires_at <= $1 LIMIT 1`, [gateway.clock.now()]);
      await eventually(async () => expect(await expired()).toEqual([]), { withinMs: PATIENCE_MS });
    }
    expect(await runsOf('erase_payment_answers', 'failed')).toBe(0);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ answers: 1 });
  },
  2 * PATIENCE_MS,
);

it('goes on with all other jobs while one of them fails', async () => {
  const nonce = await uncertain();
  await gateway.query('ALTER TABLE credit_answers RENAME TO credit_answers_gone');
  await untilMoreRuns('erase_credit_answers', 'failed');
  const claimed = await crashed(gateway, 15_000);
  gateway.clock.advanceMs(6_000);
  await untilPayment(gateway, nonce, { state: 'settled' });
  await untilPayment(gateway, claimed.nonce, { checked: true });
  for (const duty of ['take_over', 'payment_checks', 'erase_payment_answers']) {
    expect([duty, await runsOf(duty, 'failed')]).toEqual([duty, 0]);
  }
  await gateway.query('ALTER TABLE credit_answers_gone RENAME TO credit_answers');
  await untilMoreRuns('erase_credit_answers');
});

it('takes over and erases while the chain does not answer', async () => {
  await uncertain();
  // A check that began before the chain hangs would hold up the ones that are due after it.
  await untilNoneIsDue();
  await untilMoreRuns('payment_checks');
  gateway.control({ mode: 'hang', on: 'rpc' });
  gateway.clock.advanceMs(6_000);
  await untilNoneIsDue(); // taken: it waits for the chain
  const claimed = await crashed(gateway, 15_000);
  await untilPayment(gateway, claimed.nonce, { state: 'settlement_pending', checked: true });
  await untilMoreRuns('erase_payment_answers', 'done', 2);
});

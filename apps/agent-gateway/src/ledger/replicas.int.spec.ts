import { CREDIT_FACE_MICROS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import type { QueryRunner } from 'typeorm';
import { balancesOf, difference, eventsOf, seedWallet } from '../credits/credit.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { ClaimPayments } from './claim-payments';
import { aClaim, aCreditOffer, anAnswer, aSettlement, hex } from './claim.fixture';
import { PaymentRow } from './ledger.entities';
import { RecordSettlements } from './record-settlements';

// Two replicas write at the same time: a lock of the test makes their statements overlap.

const NAMES = ['replica-one', 'replica-two'];

/** Has the database. */
let owner: Gateway;
let replicas: Gateway[];
beforeAll(async () => {
  owner = await startGateway();
  replicas = await Promise.all(
    NAMES.map((name) => {
      // The connections of a replica have its name, so that the server shows which of them waits.
      const url = new URL(owner.database.url);
      url.searchParams.set('application_name', name);
      return startGateway({ besides: owner, settings: { DATABASE_URL: url.href } });
    }),
  );
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await owner.close();
});

const query = <Row>(sql: string, values?: unknown[]) => owner.ledger.dataSource.query<Row[]>(sql, values);

/** Holds what `lock` locks until both replicas have met it. @returns what the work gives */
async function overlapping<T>(lock: (held: QueryRunner) => Promise<unknown>, met: string, work: () => Promise<T>) {
  const held = owner.ledger.dataSource.createQueryRunner();
  await held.startTransaction();
  await lock(held);
  const [{ now }] = (await query<{ now: Date }>('SELECT clock_timestamp() AS now')) as [{ now: Date }];
  const working = work();
  await eventually(async () => {
    const waiting = await query<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = ANY ($1) AND query_start > $2 AND (${met}) ORDER BY 1`,
      [NAMES, now],
    );
    expect(waiting.map(({ name }) => name)).toEqual(NAMES);
  });
  await held.rollbackTransaction();
  await held.release();
  return working;
}

it.each([
  ['the first of them fills it', CREDIT_FACE_MICROS - 2_500],
  ['only both of them fill it', CREDIT_FACE_MICROS - 5_000],
])(
  'settlements of one wallet at two replicas, near a credit, take the one that is due: %s',
  async (_, accruedMicros) => {
    const payer = hex(20);
    await seedWallet(owner.ledger.dataSource, payer, { settledMicros: 20_000_000, accruedMicros });
    const claims = replicas.map(() => aClaim({ payer }));
    for (const claim of claims) expect(await owner.app.get(ClaimPayments).claim(claim)).toBe(true);
    const settlementOf = (index: number) =>
      aSettlement(claims[index]!, { answer: anAnswer({ credit: aCreditOffer() }) });
    const recorded = await overlapping(
      (held) => held.query('SELECT FROM wallets WHERE address = $1 FOR UPDATE', [payer]),
      `query LIKE '%settled_at%' AND (wait_event_type = 'Lock' OR state = 'idle')`,
      () =>
        Promise.all(replicas.map((replica, index) => replica.app.get(RecordSettlements).record(settlementOf(index)))),
    );
    expect(recorded.map(({ change }) => change)).toEqual(['answered', 'answered']);
    expect(recorded.filter(({ credit }) => credit)).toHaveLength(1);
    const balances = await balancesOf(owner.ledger.dataSource, payer);
    expect(balances).toMatchObject({
      settledMicros: 20_100_000,
      earnedMicros: accruedMicros + 5_000,
      accruedMicros: accruedMicros + 5_000 - CREDIT_FACE_MICROS,
      issued: 1,
    });
    expect(difference(balances)).toBe(0);
    expect((await eventsOf(owner.ledger.dataSource, payer)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  },
);

it('claims of the same payments at two replicas, in opposite order, do not wait in a circle: each is claimed once', async () => {
  const payer = hex(20);
  const nonces = Array.from({ length: 9 }, () => hex(32)).toSorted();
  // Both reach the middle, from opposite ends, unless they go the same way.
  const middle = aClaim({ payer, nonce: nonces[4] });
  const claimAll = (replica: Gateway, order: string[]) =>
    Promise.all(
      order.map(async (nonce) => ((await replica.app.get(ClaimPayments).claim(aClaim({ payer, nonce }))) ? nonce : [])),
    );
  const claimed = await overlapping(
    (held) => held.manager.insert(PaymentRow, { ...middle, state: 'settling', served: false }),
    `wait_event_type = 'Lock'`,
    () => Promise.all([nonces, nonces.toReversed()].map((order, index) => claimAll(replicas[index]!, order))),
  );
  expect(claimed.flat(2).toSorted()).toEqual(nonces);

  // Backends publish their counts when they end, at the latest.
  await query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const deadlocks = 'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()';
  expect(await query(deadlocks)).toEqual([{ deadlocks: 0 }]);
});

import { CREDIT_FACE_MICROS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import type { QueryRunner } from 'typeorm';
import { balancesOf, difference, eventsOf, seedWallet } from '../credits/credit.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { ClaimPayments, type Claim } from './claim-payments';
import { aClaim, aCreditOffer, anAnswer, aSettlement, hex } from './claim.fixture';
import { PaymentRow } from './ledger.entities';
import { RecordSettlements } from './record-settlements';

// Two replicas write at the same time: a lock of the test makes their statements overlap.

const NAMES = ['replica-one', 'replica-two'] as const;

/** Has the database. */
let owner: Gateway;
let replicas: [Gateway, Gateway];
beforeAll(async () => {
  owner = await startGateway();
  const named = (name: string) => ({ besides: owner, settings: { DATABASE_URL: urlNamed(owner.database.url, name) } });
  replicas = [await startGateway(named(NAMES[0])), await startGateway(named(NAMES[1]))];
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await owner.close();
});

/** The connections of a replica have its name, so that the server shows which of them waits. */
function urlNamed(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', name);
  return url.href;
}

const query = <Row>(sql: string, values?: unknown[]) => owner.ledger.dataSource.query<Row[]>(sql, values);

async function now(): Promise<Date> {
  const [row] = await query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row!.now;
}

/** Holds what the work locks, until it is let go. */
async function holding(work: (held: QueryRunner) => Promise<unknown>): Promise<() => Promise<void>> {
  const held = owner.ledger.dataSource.createQueryRunner();
  await held.startTransaction();
  await work(held);
  return async () => {
    await held.rollbackTransaction();
    await held.release();
  };
}

describe('settlements of one wallet at two replicas', () => {
  const PRICE_MICROS = 50_000;
  const REBATE_MICROS = 2_500;

  async function claimed(over: Partial<Claim>): Promise<Claim> {
    const claim = aClaim({ priceMicros: PRICE_MICROS, ...over });
    expect(await replicas[0].app.get(ClaimPayments).claim(claim)).toBe(true);
    return claim;
  }

  const settlementOf = (claim: Claim) => aSettlement(claim, { answer: anAnswer({ credit: aCreditOffer() }) });

  /** Whether its statement waits for a lock, or came back without it. */
  async function hasMetTheLock(name: string, since: Date): Promise<boolean> {
    const met = await query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1
         AND query LIKE '%settled_at%' AND query_start > $2 AND (wait_event_type = 'Lock' OR state = 'idle')`,
      [name, since],
    );
    return met.length > 0;
  }

  it.each([
    ['the first of them fills it', CREDIT_FACE_MICROS - REBATE_MICROS],
    ['only both of them fill it', CREDIT_FACE_MICROS - 2 * REBATE_MICROS],
  ])('near a credit take the one that is due: %s', async (_, accruedMicros) => {
    const payer = hex(20);
    await seedWallet(owner.ledger.dataSource, payer, { settledMicros: 20_000_000, accruedMicros });
    const claims = [await claimed({ payer }), await claimed({ payer })];
    const since = await now();
    const letGo = await holding((held) => held.query('SELECT FROM wallets WHERE address = $1 FOR UPDATE', [payer]));
    const recording = Promise.allSettled(
      replicas.map((replica, index) => replica.app.get(RecordSettlements).record(settlementOf(claims[index]!))),
    );
    await eventually(async () => {
      expect(await Promise.all(NAMES.map((name) => hasMetTheLock(name, since)))).toEqual([true, true]);
    });
    await letGo();

    const recorded = await recording;
    expect(recorded.filter(({ status }) => status === 'rejected')).toEqual([]);
    const answered = { status: 'fulfilled', value: { change: 'answered' } };
    expect(recorded).toMatchObject([answered, answered]);
    expect(recorded.filter((one) => one.status === 'fulfilled' && one.value.credit)).toHaveLength(1);
    const balances = await balancesOf(owner.ledger.dataSource, payer);
    expect(balances).toMatchObject({
      settledMicros: 20_000_000 + 2 * PRICE_MICROS,
      earnedMicros: accruedMicros + 2 * REBATE_MICROS,
      accruedMicros: accruedMicros + 2 * REBATE_MICROS - CREDIT_FACE_MICROS,
      issued: 1,
    });
    expect(difference(balances)).toBe(0);
    expect((await eventsOf(owner.ledger.dataSource, payer)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });
});

describe('claims of the same payments at two replicas', () => {
  const isWaiting = async (name: string): Promise<boolean> => {
    const waiting = await query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'`,
      [name],
    );
    return waiting.length > 0;
  };

  /** Backends publish their counts when they end, at the latest. */
  async function deadlocks(): Promise<number> {
    await query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const [row] = await query<{ deadlocks: number }>(
      'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
    );
    return row!.deadlocks;
  }

  it('in opposite order do not wait for each other in a circle: each payment is claimed once', async () => {
    const payer = hex(20);
    const nonces = Array.from({ length: 9 }, () => hex(32)).toSorted();
    const middle = aClaim({ payer, nonce: nonces[4] });
    // Both reach the middle, from opposite ends, unless they go the same way.
    const letGo = await holding((held) =>
      held.manager.insert(PaymentRow, {
        ...middle,
        state: 'settling',
        served: false,
        transactionHash: null,
        reason: null,
        settledAt: null,
      }),
    );
    const orders = [nonces, nonces.toReversed()];
    const claiming = Promise.all(
      replicas.map((replica, index) =>
        Promise.all(
          orders[index]!.map(async (nonce) => {
            const isTaken = await replica.app.get(ClaimPayments).claim(aClaim({ payer, nonce }));
            return isTaken ? [nonce] : [];
          }),
        ),
      ),
    );
    await eventually(async () => {
      expect(await Promise.all(NAMES.map(isWaiting))).toEqual([true, true]);
    });
    await letGo();
    expect((await claiming).flat(2).toSorted()).toEqual(nonces);
    expect(await deadlocks()).toBe(0);
  });
});

import { SystemClock } from '@evenkeel/kernel';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { Registry } from 'prom-client';
import { eventsOf, seedWallet } from '../credits/credit.fixture';
import { ENTITIES, MIGRATIONS } from '../database';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { ClaimPayments, type Claim } from './claim-payments';
import { aClaim, aCreditOffer, anAnswer, aSettlement, hex, LedgerRows } from './claim.fixture';
import { RecordSettlements } from './record-settlements';
import { WalletTiers } from './wallet-tiers';

let database: TestDatabase;
let ledger: LedgerRows;
let claims: ClaimPayments;
let settlements: RecordSettlements;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  ledger = new LedgerRows(database.dataSource);
  claims = new ClaimPayments(database.dataSource);
  settlements = aRecorder();
}, 30_000);
afterAll(() => database.drop());

const aRecorder = () =>
  new RecordSettlements(
    database.dataSource,
    new WalletTiers(database.dataSource, new SystemClock()),
    new GatewayMetrics(new Registry()),
  );

async function claimed(over: Partial<Claim> = {}): Promise<Claim> {
  const claim = aClaim(over);
  expect(await claims.claim(claim)).toBe(true);
  return claim;
}

/** Numbers of the events of a wallet, in the order in which the relay reads them. */
const sequenceOf = async (wallet: string) =>
  (
    await database.dataSource.query<{ number: number }[]>(
      `SELECT aggregate_seq::integer AS number FROM outbox WHERE aggregate = $1 ORDER BY seq`,
      [wallet],
    )
  ).map(({ number }) => number);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a claim', () => {
  it('is taken once, of twenty at two replicas', async () => {
    const [payer, nonce, other] = [hex(20), hex(32), new ClaimPayments(database.dataSource)];
    const taken = await Promise.all(
      upTo(20).map((number) => (number % 2 ? claims : other).claim(aClaim({ payer, nonce }))),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('belongs to payer, nonce, token and chain; an identifier to its payer', async () => {
    const { payer, nonce } = await claimed({ paymentIdentifier: 'an-identifier-of-mine' });
    const taken = (over: Partial<Claim>) => claims.claim(aClaim({ payer, nonce, ...over }));
    expect(await taken({})).toBe(false);
    expect(await taken({ nonce: hex(32), paymentIdentifier: 'an-identifier-of-mine' })).toBe(false);
    expect(await taken({ payer: hex(20), paymentIdentifier: 'an-identifier-of-mine' })).toBe(true);
    expect(await taken({ chainId: 84532 })).toBe(true);
    expect(await taken({ asset: hex(20) })).toBe(true);
  });

  it('that the table refuses fails alone', async () => {
    const [good, bad, alsoGood] = [aClaim(), aClaim({ payer: '0xNOBODY' }), aClaim()];
    const results = await Promise.allSettled([good, bad, alsoGood].map((claim) => claims.claim(claim)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger.entriesOf(alsoGood.nonce)).toMatchObject({ state: 'settling' });
  });
});

describe('a settlement', () => {
  it('twice in one batch is recorded once', async () => {
    const [claim, other] = [await claimed(), await claimed()];
    const results = await Promise.all([claim, claim, other].map((one) => settlements.record(aSettlement(one))));
    expect(results.map(({ change }) => change).toSorted()).toEqual(['answered', 'answered', 'unchanged']);
    expect(await ledger.entriesOf(claim.nonce)).toMatchObject({ calls: 1, answers: 1, events: ['payment.settled'] });
    expect(await ledger.wallet(claim.payer)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 1 });
  });

  it('that the table refuses fails alone', async () => {
    const [one, two, three] = [await claimed(), await claimed(), await claimed()];
    const results = await Promise.allSettled([
      settlements.record(aSettlement(one)),
      settlements.record(aSettlement(two, { answer: anAnswer({ status: 99_999 }) })),
      settlements.record(aSettlement(three)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger.entriesOf(two.nonce)).toMatchObject({ state: 'settling', calls: 0, events: [] });
    expect(await ledger.entriesOf(three.nonce)).toMatchObject({ state: 'settled', calls: 1 });
  });
});

describe('fifty settlements at once over seven wallets, at two replicas', () => {
  it('add up, and number the events of each wallet without gap or repeat', async () => {
    const wallets = upTo(7).map(() => hex(20));
    const all = await Promise.all(
      upTo(50).map((number) => claimed({ payer: wallets[number % 7], priceMicros: number * 1_000 })),
    );
    const other = aRecorder();
    const recorded = all.flatMap((claim, index) => [
      (index % 2 ? settlements : other).record(aSettlement(claim)),
      (index % 2 ? other : settlements).record(aSettlement(claim)),
    ]);
    const results = await Promise.all(recorded);
    expect(results.filter(({ change }) => change === 'answered')).toHaveLength(50);
    expect(results.filter(({ change }) => change === 'unchanged')).toHaveLength(50);

    for (const wallet of wallets) {
      const own = all.filter(({ payer }) => payer === wallet);
      const settledMicros = own.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
      expect(await ledger.wallet(wallet)).toEqual({
        settledMicros,
        calls: own.length,
        unpaidCalls: 0,
        eventSeq: own.length,
      });
      expect(await sequenceOf(wallet)).toEqual(upTo(own.length));
      for (const { nonce } of own)
        expect(await ledger.entriesOf(nonce)).toMatchObject({ state: 'settled', calls: 1, answers: 1 });
    }
  });

  it('leave their events in the order of the wallet, each credit behind its payment, in one batch', async () => {
    const payer = hex(20);
    await seedWallet(database.dataSource, payer, { settledMicros: 20_000_000, accruedMicros: 200_000 });
    const all = await Promise.all(upTo(3).map((number) => claimed({ payer, verifiedAt: new Date(number * 1_000) })));
    const credited = (claim: Claim) => aSettlement(claim, { answer: anAnswer({ credit: aCreditOffer() }) });
    await Promise.all(all.toReversed().map((claim) => settlements.record(credited(claim))));
    expect(await sequenceOf(payer)).toEqual([1, 2, 3, 4, 5]);
    const types = (await eventsOf(database.dataSource, payer)).map(({ type }) => type);
    const [settled, issued] = ['payment.settled', 'credit.issued'];
    expect(types).toEqual([settled, issued, settled, issued, settled]);
  });
});

import type { ModeCommand } from '@evenkeel/facilitator';
import { aGateway } from '../../gateway.fixture';
import { terms } from '../../payments/payment.fixture';
import { checkDue, CONFIRMED_MS, recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { run } from './run';

const EXPIRED_FOR_GOOD_MS = 300_000 + 600_000;
const FAKE_HASH = `0x${'ab'.repeat(32)}`;
const FORCE = ['--force', 'seen in the explorer'];
const blind = { X402_RPC_URL: 'none' };

const gateway = aGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand, audited: true });
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before

type Open = Awaited<ReturnType<typeof paid>>;

async function paid(mode: string, status: number, more: Partial<ModeCommand> = {}, buyer = gateway.aBuyer()) {
  const payment = await buyer.sign();
  gateway.control({ mode, count: 1, ...more });
  expect((await gateway.pay(payment)).status).toBe(status);
  return { payment, payer: buyer.wallet, nonce: payment.nonce, buyer };
}

const needsPerson = (buyer = gateway.aBuyer()) => paid('reverted', 502, {}, buyer);
const hashOf = ({ nonce }: Pick<Open, 'nonce'>) => gateway.facilitator.ledger(nonce).settlements[0]!.transaction;
const rowOf = ({ nonce }: Open) => gateway.ledger.entriesOf(nonce);

/** Money that a third party sends, not confirmed yet. */
function submitted(open: Open): string {
  gateway.control({ action: 'submit', authorization: open.payment.authorization });
  return hashOf(open);
}

function confirmed(open: Open): string {
  const hash = submitted(open);
  gateway.clock.advanceMs(CONFIRMED_MS);
  return hash;
}

function cancelled({ payer, nonce }: Open): void {
  gateway.control({ action: 'cancel', payer, nonce });
  gateway.clock.advanceMs(CONFIRMED_MS);
}

async function command(args: string[], env: Record<string, string> = {}) {
  let text = '';
  const say = (part: string) => void (text += part);
  const { database, facilitator } = gateway;
  const settings = { DATABASE_URL: database.url, X402_PAY_TO: terms.payTo, X402_RPC_URL: facilitator.rpcUrl };
  const code = await run(args, { ...settings, OPERATOR: 'ada', ...env }, { out: say, err: say });
  return { code, text };
}

const close = ({ payer, nonce }: Pick<Open, 'payer' | 'nonce'>, outcome: string, more: string[] = [], env = {}) =>
  command([payer, nonce, outcome, ...more], env);

function actionsAbout({ nonce }: Pick<Open, 'nonce'>): Promise<object[]> {
  return gateway.query(
    `SELECT operator, step, arguments, note, before, after FROM operator_actions WHERE subject LIKE $1 ORDER BY occurred_at, id`,
    [`% ${nonce}`],
  );
}

it.each([
  [[], "missing required argument 'payer'"],
  [['0x2', FAKE_HASH, 'failed'], "for argument 'payer'. It must be an address"],
  [[terms.payTo, '0x2', 'failed'], "for argument 'nonce'. It must be 0x and 64 hex digits."],
  [[terms.payTo, FAKE_HASH, 'lost'], 'a transaction hash (0x and 64 hex digits) or the word failed'],
  [[terms.payTo, FAKE_HASH, 'failed', 'now'], 'too many arguments'],
  [[terms.payTo, FAKE_HASH, 'failed', '--force', ''], 'It must say where you have seen it.'],
])('refuses %p with 2 and a hint', async (args, message) => {
  const { code, text } = await command(args);
  expect([code, text]).toEqual([2, expect.stringContaining(message)]);
});

it('with a hash settles it with all that follows, writes it down, and says so when repeated', async () => {
  const open = await needsPerson();
  const hash = confirmed(open);
  const text = `Closed: the payment was needs_reconciliation and is settled by ${hash}.\n`;
  expect(await close(open, hash)).toEqual({ code: 0, text });
  const events = ['payment.settlement-pending', 'payment.settled'];
  expect(await rowOf(open)).toMatchObject({ state: 'settled', transactionHash: hash, events });
  expect((await gateway.pay(open.payment)).status).toBe(200);
  expect(await close(open, hash)).toEqual({ code: 0, text: `Done already: the payment is settled by ${hash}.\n` });
  expect(await gateway.ledger.wallet(open.payer)).toMatchObject({ settledMicros: 50_000, calls: 1 });

  const [before, after] = [{ state: 'needs_reconciliation' }, { state: 'settled', transactionHash: hash }];
  expect(await actionsAbout(open)).toMatchObject([
    { operator: 'ada', step: 'begun', arguments: { outcome: hash }, before },
    { operator: 'ada', step: 'done', arguments: { outcome: hash }, before, after },
    { operator: 'ada', step: 'unchanged', before: after, after },
  ]);
  expect(await close(open, FAKE_HASH)).toEqual({ code: 1, text: `It is settled already, by ${hash}.\n` });
  expect(await close(open, 'failed')).toEqual({ code: 1, text: `It is settled already, by ${hash}.\n` });
});

it('with a hash of a served payment that failed frees its wallet to be served again', async () => {
  const served = await paid('pending-then-never', 200);
  gateway.clock.advanceMs(EXPIRED_FOR_GOOD_MS + CONFIRMED_MS);
  await checkDue(gateway);
  expect(await rowOf(served)).toMatchObject({ state: 'settlement_failed', served: true });
  expect(await gateway.ledger.wallet(served.payer)).toMatchObject({ unpaidCalls: 1, settledMicros: 0 });
  expect((await close(served, FAKE_HASH, FORCE)).code).toBe(0);
  expect(await gateway.ledger.wallet(served.payer)).toMatchObject({ unpaidCalls: 0, settledMicros: 50_000 });
});

it('takes a claim whose process died over first', async () => {
  const open = await paid('refused', 502, { reason: 'unexpected_error' });
  await gateway.query(`UPDATE payments SET state = 'settling' WHERE nonce = $1`, [open.nonce]);
  const text = 'It is being settled at this moment. Try again in 15 seconds.\n';
  expect(await close(open, FAKE_HASH)).toEqual({ code: 1, text });
  await gateway.ledger.ageClaims(15_000);
  expect((await close(open, confirmed(open))).code).toBe(0);
  expect(await rowOf(open)).toMatchObject({ state: 'settled' });
});

it('as failed writes the failure with its event: ten minutes after the expiry, or at once for what was cancelled', async () => {
  const void_ = await needsPerson();
  cancelled(void_);
  expect((await close(void_, 'failed')).code).toBe(0);
  expect(await rowOf(void_)).toMatchObject({ reason: 'authorization_canceled' });

  const open = await needsPerson();
  gateway.clock.advanceMs(EXPIRED_FOR_GOOD_MS + CONFIRMED_MS);
  const text = 'Closed: the payment was needs_reconciliation and is settlement_failed.\n';
  expect(await close(open, 'failed')).toEqual({ code: 0, text });
  const events = ['payment.settlement-pending', 'payment.settlement-failed'];
  const failed = { state: 'settlement_failed', reason: 'authorization_expired', checked: false, events };
  expect(await rowOf(open)).toMatchObject(failed);
  expect(await close(open, 'failed')).toEqual({ code: 0, text: 'Done already: the payment is settlement_failed.\n' });
});

it.each<[string, (open: Open) => string | Promise<string>, string[], RegExp]>([
  ['with a hash that the chain does not know', () => FAKE_HASH, [], /does not know the transaction/],
  [
    'with the hash of another payment, forced or not',
    async () => {
      const other = await paid('ok', 200);
      gateway.clock.advanceMs(CONFIRMED_MS);
      return hashOf(other);
    },
    FORCE,
    /did not pay this/,
  ],
  [
    'with a transaction whose transfer to us is that of another nonce, forced or not',
    async ({ payment, payer, buyer }) => {
      const other = await needsPerson(buyer);
      const toItself = { ...payment.authorization, to: payer, value: '0' };
      gateway.control({ action: 'batch', transfers: [toItself, other.payment.authorization] });
      gateway.clock.advanceMs(CONFIRMED_MS);
      return hashOf(other);
    },
    FORCE,
    /did not pay this/,
  ],
  ['with a transaction that is not confirmed', submitted, [], /not confirmed yet/],
  ['as failed while it may still be settled, forced or not', () => 'failed', FORCE, /may still be settled/],
  [
    'as failed when the money came, forced or not',
    (open) => confirmed(open) && 'failed',
    FORCE,
    /The money came\. Close it so: npm run payment:close -- 0x/,
  ],
])('is refused %s', async (_, outcome, options, message) => {
  const open = await needsPerson();
  const before = await rowOf(open);
  const { code, text } = await close(open, await outcome(open), options);
  expect([code, text]).toEqual([1, expect.stringMatching(message)]);
  expect(await rowOf(open)).toEqual(before);
  expect(await actionsAbout(open)).toMatchObject([{ step: 'refused', note: text.trim() }]);
});

it('is refused for a payment that the ledger does not know', async () => {
  const unknown = { payer: `0x${'1'.repeat(40)}`, nonce: `0x${'2'.repeat(64)}` };
  const text = expect.stringContaining('The ledger has no payment of 0x1111');
  expect(await close(unknown, 'failed')).toEqual({ code: 1, text });
  expect(await actionsAbout(unknown)).toMatchObject([{ step: 'refused', before: null }]);
});

it('is refused while the chain cannot be read, unless it is forced', async () => {
  const open = await needsPerson();
  const hash = confirmed(open);
  gateway.control({ mode: '500', on: 'rpc' });
  expect(await close(open, hash)).toMatchObject({ code: 1, text: expect.stringContaining('cannot be read now') });
  expect((await close(open, hash, FORCE)).code).toBe(0);
  expect((await actionsAbout(open)).at(-1)).toMatchObject({ arguments: { outcome: hash, force: FORCE[1] } });
});

it('without the chain believes the operator, but takes one transfer for one payment', async () => {
  const hash = `0x${'b1'.repeat(32)}`;
  const [first, second, third] = [await needsPerson(), await needsPerson(), await needsPerson()];
  const ofFirst = await needsPerson(first.buyer);
  const sayTransfer = { code: 1, text: expect.stringContaining('<hash>:<log index>') };
  expect((await close(first, hash, [], blind)).code).toBe(0);
  expect(await close(ofFirst, hash, [], blind)).toMatchObject(sayTransfer);
  expect(await close(ofFirst, hash, FORCE, blind)).toMatchObject(sayTransfer);
  expect((await close(second, `${hash}:7`, [], blind)).code).toBe(0);
  expect(await close(third, `${hash}:7`, [], blind)).toMatchObject(sayTransfer);
  expect(await rowOf(third)).toMatchObject({ state: 'needs_reconciliation' });
});

it('of ten at once with different words closes it once', async () => {
  const open = await needsPerson();
  cancelled(open);
  const hash = `0x${'b2'.repeat(32)}`;
  const ways = [() => close(open, 'failed'), () => close(open, hash, [], { ...blind, OPERATOR: 'grace' })];
  const said = await Promise.all(Array.from({ length: 10 }, (_, index) => ways[index % 2]!()));
  // Even when an operator says that it failed, money that came is written down in the end.
  const { state, events } = (await rowOf(open))!;
  expect(state).toBe('settled');
  expect(events.filter((type) => type === 'payment.settled')).toHaveLength(1);
  expect(await gateway.ledger.wallet(open.payer)).toMatchObject({ settledMicros: 50_000, calls: 1 });
  // A busy database may have let in fewer than ten.
  const failures = said.filter(({ code }) => code === 2);
  expect(failures.filter(({ text }) => !text.includes('connection timeout'))).toEqual([]);
  expect(await actionsAbout(open)).toContainEqual(expect.objectContaining({ step: 'done' }));
});

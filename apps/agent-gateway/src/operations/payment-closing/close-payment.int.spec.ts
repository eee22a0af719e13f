import type { ModeCommand } from '@evenkeel/facilitator';
import { audit } from '@evenkeel/ops/audit';
import type { Buyer } from '../../buyer.fixture';
import { startGateway, type Gateway } from '../../gateway.fixture';
import { checkDue, recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { run } from './run';

const EXPIRED_FOR_GOOD_MS = 300_000 + 600_000;
/** Three blocks: what happened before is confirmed. */
const CONFIRMED_MS = 6_000;
const FAKE_HASH = `0x${'ab'.repeat(32)}`;
const hexOf = (byte: string) => `0x${byte.repeat(32)}`;

interface Action {
  operator: string;
  step: string;
  arguments: Record<string, string>;
  note: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(async () => {
  gateway.facilitator.control({ mode: 'ok' });
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

async function paid(mode: string, status: number, more: Partial<ModeCommand> = {}, buyer = gateway.aBuyer()) {
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, count: 1, ...more });
  expect((await gateway.pay(payment)).status).toBe(status);
  return { payment, payer: buyer.wallet, nonce: payment.nonce, buyer };
}

const needsPerson = (buyer?: Buyer) => paid('reverted', 502, {}, buyer);
const hashOf = (nonce: string) => gateway.facilitator.ledger(nonce).settlements[0]!.transaction;

/** Money that a third party sends, confirmed. */
function submitted({ payment }: Awaited<ReturnType<typeof paid>>): string {
  gateway.facilitator.control({ action: 'submit', authorization: payment.authorization });
  gateway.clock.advanceMs(CONFIRMED_MS);
  return hashOf(payment.nonce);
}

interface Said {
  code: number;
  text: string;
}

async function close(
  { payer, nonce }: { payer: string; nonce: string },
  outcome: string,
  ...more: string[]
): Promise<Said> {
  return command([payer, nonce, outcome, ...more], {});
}

async function command(args: string[], env: Record<string, string>): Promise<Said> {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const settings = {
    DATABASE_URL: gateway.database.url,
    X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    X402_RPC_URL: gateway.facilitator.rpcUrl,
    OPERATOR: 'ada',
    ...env,
  };
  return { code: await run(args, settings, { out: say, err: say }), text: said.join('') };
}

async function actionsAbout(nonce: string): Promise<Action[]> {
  return gateway.ledger.dataSource.query(
    `SELECT operator, step, arguments, note, before, after FROM operator_actions WHERE subject LIKE $1 ORDER BY occurred_at, id`,
    [`% ${nonce}`],
  );
}

describe('with a hash', () => {
  it('settles it with all that follows, writes it down, and says so when repeated', async () => {
    const open = await needsPerson();
    const hash = submitted(open);
    expect(await close(open, hash)).toEqual({
      code: 0,
      text: `Closed: the payment was needs_reconciliation and is settled by ${hash}.\n`,
    });
    const events = ['payment.settlement-pending', 'payment.settled'];
    expect(await gateway.ledger.entriesOf(open.nonce)).toMatchObject({
      state: 'settled',
      transactionHash: hash,
      events,
    });
    expect(await gateway.ledger.wallet(open.payer)).toMatchObject({ settledMicros: 50_000, calls: 1 });
    expect((await gateway.pay(open.payment)).status).toBe(200);

    expect(await close(open, hash)).toEqual({ code: 0, text: `Done already: the payment is settled by ${hash}.\n` });
    expect(await gateway.ledger.wallet(open.payer)).toMatchObject({ settledMicros: 50_000, calls: 1 });
    const [before, after] = [{ state: 'needs_reconciliation' }, { state: 'settled', transactionHash: hash }];
    expect(await actionsAbout(open.nonce)).toMatchObject([
      { operator: 'ada', step: 'begun', arguments: { outcome: hash }, before },
      { operator: 'ada', step: 'done', arguments: { outcome: hash }, before, after },
      { operator: 'ada', step: 'unchanged', before: after, after },
    ]);
  });

  it('of a served payment that failed frees its wallet to be served again', async () => {
    const served = await paid('pending-then-never', 200);
    gateway.clock.advanceMs(EXPIRED_FOR_GOOD_MS + CONFIRMED_MS);
    await checkDue(gateway);
    expect(await gateway.ledger.entriesOf(served.nonce)).toMatchObject({ state: 'settlement_failed', served: true });
    expect(await gateway.ledger.wallet(served.payer)).toMatchObject({ unpaidCalls: 1, settledMicros: 0 });

    const { code } = await close(served, FAKE_HASH, '--force', 'the node was on a fork; explorer shows it');
    expect(code).toBe(0);
    expect(await gateway.ledger.wallet(served.payer)).toMatchObject({ unpaidCalls: 0, settledMicros: 50_000 });
    gateway.facilitator.control({ mode: 'reset', on: 'settle', count: 1 });
    expect((await gateway.pay(await served.buyer.sign())).status).toBe(200);
  });

  it('of a claim whose process died takes it over first', async () => {
    const open = await paid('refused', 502, { reason: 'unexpected_error' });
    const { id } = await gateway.ledger.payment(open.nonce);
    await gateway.ledger.dataSource.query(`UPDATE payments SET state = 'settling' WHERE id = $1`, [id]);
    expect(await close(open, FAKE_HASH)).toEqual({
      code: 1,
      text: 'It is being settled at this moment. Try again in 15 seconds.\n',
    });
    await gateway.ledger.ageClaims(15_000);
    expect((await close(open, submitted(open))).code).toBe(0);
    expect(await gateway.ledger.entriesOf(open.nonce)).toMatchObject({ state: 'settled' });
  });
});

describe('as failed', () => {
  it('writes the failure with its event, and says so when repeated', async () => {
    const open = await needsPerson();
    gateway.clock.advanceMs(EXPIRED_FOR_GOOD_MS + CONFIRMED_MS);
    expect(await close(open, 'failed')).toEqual({
      code: 0,
      text: 'Closed: the payment was needs_reconciliation and is settlement_failed.\n',
    });
    expect(await gateway.ledger.entriesOf(open.nonce)).toMatchObject({
      state: 'settlement_failed',
      reason: 'authorization_expired',
      checked: false,
      events: ['payment.settlement-pending', 'payment.settlement-failed'],
    });
    expect(await close(open, 'failed')).toEqual({ code: 0, text: 'Done already: the payment is settlement_failed.\n' });
    expect((await actionsAbout(open.nonce)).map(({ step }) => step)).toEqual(['begun', 'done', 'unchanged']);
  });

  it('is possible at once for what was cancelled', async () => {
    const open = await needsPerson();
    gateway.facilitator.control({ action: 'cancel', payer: open.payer, nonce: open.nonce });
    gateway.clock.advanceMs(CONFIRMED_MS);
    expect((await close(open, 'failed')).code).toBe(0);
    expect(await gateway.ledger.entriesOf(open.nonce)).toMatchObject({ reason: 'authorization_canceled' });
  });
});

describe('is refused', () => {
  type Open = Awaited<ReturnType<typeof paid>>;
  it('with a transaction whose transfer to us is that of another nonce, forced or not', async () => {
    const open = await needsPerson();
    const other = await needsPerson(open.buyer);
    const toItself = { ...open.payment.authorization, to: open.payer, value: '0' };
    gateway.facilitator.control({ action: 'batch', transfers: [toItself, other.payment.authorization] });
    gateway.clock.advanceMs(CONFIRMED_MS);
    const hash = hashOf(other.nonce);
    for (const force of [[], ['--force', 'the explorer shows a transfer to us']]) {
      expect(await close(open, hash, ...force)).toMatchObject({
        code: 1,
        text: expect.stringMatching(/did not pay this/),
      });
    }
    expect((await close(other, hash)).code).toBe(0);
  });

  const wrong: [string, (open: Open) => string | Promise<string>, string[], RegExp][] = [
    ['with a hash that the chain does not know', () => FAKE_HASH, [], /does not know the transaction/],
    [
      'with the hash of another payment, forced or not',
      async () => {
        const other = await paid('ok', 200);
        gateway.clock.advanceMs(CONFIRMED_MS);
        return hashOf(other.nonce);
      },
      ['--force', 'I think so'],
      /did not pay this/,
    ],
    [
      'with a transaction that is not confirmed',
      ({ payment }) => {
        gateway.facilitator.control({ action: 'submit', authorization: payment.authorization });
        return hashOf(payment.nonce);
      },
      [],
      /not confirmed yet/,
    ],
    [
      'as failed while it may still be settled, forced or not',
      () => 'failed',
      ['--force', 'I think so'],
      /may still be settled/,
    ],
    [
      'as failed when the money came, forced or not',
      (open) => {
        submitted(open);
        return 'failed';
      },
      ['--force', 'I think so'],
      /The money came\. Close it so: npm run payment:close -- 0x/,
    ],
  ];
  it.each(wrong)('%s', async (_, outcome, options, message) => {
    const open = await needsPerson();
    const before = await gateway.ledger.entriesOf(open.nonce);
    const { code, text } = await close(open, await outcome(open), ...options);
    expect(text).toMatch(message);
    expect(code).toBe(1);
    expect(await gateway.ledger.entriesOf(open.nonce)).toEqual(before);
    expect(await actionsAbout(open.nonce)).toMatchObject([{ step: 'refused', note: text.trim() }]);
  });

  it('for a payment that is settled by another transaction, and as failed', async () => {
    const settled = await paid('ok', 200);
    for (const outcome of [FAKE_HASH, 'failed']) {
      expect(await close(settled, outcome)).toEqual({
        code: 1,
        text: `It is settled already, by ${hashOf(settled.nonce)}.\n`,
      });
    }
  });

  it('for a payment that the ledger does not know', async () => {
    const unknown = { payer: `0x${'1'.repeat(40)}`, nonce: `0x${'2'.repeat(64)}` };
    const { code, text } = await close(unknown, 'failed');
    expect([code, text]).toEqual([1, expect.stringContaining('The ledger has no payment of 0x1111')]);
    expect(await actionsAbout(unknown.nonce)).toMatchObject([{ step: 'refused', before: null }]);
  });

  it('while the chain cannot be read, unless it is forced', async () => {
    const open = await needsPerson();
    const hash = submitted(open);
    gateway.facilitator.control({ mode: '500', on: 'rpc' });
    expect(await close(open, hash)).toMatchObject({ code: 1, text: expect.stringContaining('cannot be read now') });
    expect((await close(open, hash, '--force', 'seen in the explorer')).code).toBe(0);
    gateway.facilitator.control({ mode: 'ok', on: 'rpc' });
    expect((await actionsAbout(open.nonce)).at(-1)?.arguments).toEqual({
      outcome: hash,
      force: 'seen in the explorer',
    });
  });
});

it('of ten at once with different words closes it once', async () => {
  const open = await needsPerson();
  gateway.facilitator.control({ action: 'cancel', payer: open.payer, nonce: open.nonce });
  gateway.clock.advanceMs(CONFIRMED_MS);
  const said = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      index % 2
        ? close(open, 'failed')
        : command([open.payer, open.nonce, hexOf('b2')], { X402_RPC_URL: 'none', OPERATOR: 'grace' }),
    ),
  );
  // Even when an operator says that it failed, money that came is written down in the end.
  const { state, events } = (await gateway.ledger.entriesOf(open.nonce))!;
  expect(state).toBe('settled');
  expect(events.filter((type) => type === 'payment.settled')).toHaveLength(1);
  expect(await gateway.ledger.wallet(open.payer)).toMatchObject({ settledMicros: 50_000, calls: 1 });
  // A busy database may have let in fewer than ten.
  const failures = said.filter(({ code }) => code === 2);
  expect(failures.filter(({ text }) => !text.includes('connection timeout'))).toEqual([]);
  const done = (await actionsAbout(open.nonce)).filter(({ step }) => step === 'done');
  expect(done.length).toBeGreaterThan(0);
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { aPayment } from '../payments/payment.fixture';
import { canonicalJson, score } from './call';
import { Deadline, DeadlineExceeded } from './deadline';
import { settlementResponse } from './payment';

const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
const published = requestSchema(PAID_ENDPOINTS.find(({ operation }) => operation === 'plan')!).$defs;
const defaultOf = (form: string) => published[form]!.properties!['horizon_days']!.default as number;

it.each([
  ['AgentAnalysisInput', 'analyze', { habits: [habit] }],
  ['AgentAnalysisInput', 'insights', { habits: [habit] }],
  ['AgentAnalysisInput', 'recommend', { habits: [habit] }],
  ['AgentAnalysisInput', 'plan', { habits: [habit] }],
  ['SingleHabitPlanInput', 'plan', { habit }],
] as const)('without a horizon in %s, %s uses the default of the schema', (form, operation, body) => {
  const asPublished = score(operation, { ...body, horizon_days: defaultOf(form) });
  expect(score(operation, body)).toEqual(asPublished);
  if (operation !== 'recommend') expect(score(operation, { ...body, horizon_days: 50 })).not.toEqual(asPublished);
});

describe('canonicalJson', () => {
  it('writes any JSON value in the form of RFC 8785', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
    );
  });

  it.each([
    ['members by UTF-16 units', '{"€":1,"\\r":2,"1":3,"10":4,"9":5,"😂":6,"דּ":7,"__proto__":8}'],
    ['numbers as ECMAScript writes them', '[333333333.33333329,1E30,4.50,2e-3,1e-27,-0,-1.5e300]'],
    [
      'only the escapes that are required',
      '["\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","\\u007f","\\ud800"]',
    ],
    ['items that look alike', '[{"b":1,"a":2},{"b":3,"a":4},{"a":5,"b":6},{"a":7},null,[{"c":8}],3,{"a":9}]'],
    ['nothing at all', '[[],{},"",[""],{"":""},null,true,false]'],
  ])('writes %s', (_, text) => {
    const value: unknown = JSON.parse(text);
    expect(canonicalJson(value)).toBe(canonicalize(value));
  });

  it('replaces text values, but not the names of members', () => {
    expect(canonicalJson({ A: ['B', { C: 'D' }] }, (text) => text.toLowerCase())).toBe('{"A":["b",{"C":"d"}]}');
  });

  it('refuses infinity', () => {
    expect(() => canonicalJson({ amount: JSON.parse('1e999') as number })).toThrow(RangeError);
  });
});

const hash = `0x${'1f'.repeat(32)}`;

function responseOf(...[payment, outcome]: Parameters<typeof settlementResponse>): unknown {
  const headers = settlementResponse(payment, outcome);
  expect(Object.keys(headers)).toEqual(['X-PAYMENT-RESPONSE', 'PAYMENT-RESPONSE']);
  expect(headers['X-PAYMENT-RESPONSE']).toBe(headers['PAYMENT-RESPONSE']);
  return JSON.parse(Buffer.from(headers['PAYMENT-RESPONSE']!, 'base64').toString());
}

describe('settlementResponse', () => {
  const payer = '0x857b06519E91e3A54538791bDbb0E22373e36b66';

  it('states the settlement and the checksummed payer', () => {
    const lower = aPayment({ authorization: { from: payer.toLowerCase() } });
    expect(responseOf(lower, { status: 'settled', transactionHash: hash })).toEqual({
      success: true,
      transaction: hash,
      network: 'base',
      payer,
      amount: '50000',
      status: 'settled',
    });
  });

  it.each([
    [1 as const, 'base'],
    [1 as const, 'eip155:8453'],
    [2 as const, 'eip155:8453'],
  ])('names the chain as the payment of version %i did: %s', (version, network) => {
    const response = responseOf(aPayment({ version, offer: { network } }), {
      status: 'settled',
      transactionHash: hash,
    });
    expect(response).toMatchObject({ network });
  });

  it('has no hash while the payment is pending, even when one is known', () => {
    const response = responseOf(aPayment(), { status: 'settlement_pending', transactionHash: hash });
    expect(response).toMatchObject({ success: true, transaction: '', status: 'settlement_pending' });
  });

  it('has an empty hash when the facilitator gave none', () => {
    const response = responseOf(aPayment(), { status: 'settled', transactionHash: null });
    expect(response).toMatchObject({ success: true, transaction: '' });
  });

  it('states why settlement failed', () => {
    const outcome = { status: 'settlement_failed' as const, transactionHash: hash, errorReason: 'insufficient_funds' };
    expect(responseOf(aPayment(), outcome)).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
      status: 'settlement_failed',
    });
  });
});

describe('time', () => {
  const never = new Promise<never>(() => undefined);

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** The result of a wait, and its milliseconds. */
  async function outcomeOf(wait: unknown): Promise<{ ended: unknown; afterMs: number }> {
    const begun = performance.now();
    let ended: unknown;
    let endedAt = NaN;
    const done = Promise.resolve(wait).then(
      (value) => ([ended, endedAt] = [value, performance.now()]),
      (error: unknown) => ([ended, endedAt] = [error, performance.now()]),
    );
    await jest.advanceTimersByTimeAsync(60_000);
    await done;
    return { ended, afterMs: endedAt - begun };
  }

  describe('Deadline', () => {
    it('keeps 200 ms back from every wait', async () => {
      const { ended, afterMs } = await outcomeOf(new Deadline(5_000).within(never));
      expect(ended).toBeInstanceOf(DeadlineExceeded);
      expect(afterMs).toBe(4_800);
    });

    it('lets a statement of the ledger use half of the reserve: the answer has to arrive in time', async () => {
      const { ended, afterMs } = await outcomeOf(new Deadline(5_000).withinBudget(never));
      expect(ended).toBeInstanceOf(DeadlineExceeded);
      expect(afterMs).toBe(4_900);
    });

    it('returns a value, or an error, that comes in time', async () => {
      expect((await outcomeOf(new Deadline(5_000).within(Promise.resolve('in time')))).ended).toBe('in time');
      const failure = new Error('no');
      expect((await outcomeOf(new Deadline(5_000).within(Promise.reject(failure)))).ended).toBe(failure);
    });

    it('returns what is there already, though the time is up', async () => {
      expect(await new Deadline(-1).within(Promise.resolve('there'))).toBe('there');
    });

    it('counts from its creation, not from the wait', async () => {
      const deadline = new Deadline(5_000);
      await jest.advanceTimersByTimeAsync(4_000);
      expect(deadline.leftMs).toBe(800);
      expect((await outcomeOf(deadline.within(never))).afterMs).toBe(800);
      expect(deadline.leftMs).toBe(0);
    });

    it('is over at once without a budget', async () => {
      const { ended, afterMs } = await outcomeOf(new Deadline(-1).within(never));
      expect(ended).toBeInstanceOf(DeadlineExceeded);
      expect(afterMs).toBeLessThanOrEqual(1);
    });

    it('ignores a promise that fails after the end', async () => {
      let fail: (error: Error) => void = () => undefined;
      const late = new Promise((_, reject) => (fail = reject));
      await outcomeOf(new Deadline(300).within(late));
      fail(new Error('too late'));
      await jest.advanceTimersByTimeAsync(1);
    });
  });

  describe('a pause', () => {
    beforeEach(() => void jest.useRealTimers());

    it('is as long as requested, but never past the end', async () => {
      const lasts = async (pause: () => Promise<void>) => {
        // Timers count from the turn of the event loop in which they are set, so a new turn begins here.
        await nextTurn();
        const begun = performance.now();
        await pause();
        return performance.now() - begun;
      };
      expect(await lasts(() => new Deadline(5_000).pause(30))).toBeGreaterThanOrEqual(28);
      expect(await lasts(() => new Deadline(210).pause(2_000))).toBeLessThan(1_000);
      expect(await lasts(() => new Deadline(100).pause(2_000))).toBeLessThan(1_000);
    });
  });
});

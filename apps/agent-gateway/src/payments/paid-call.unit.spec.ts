import { CHAINS, type Operation, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Deadline } from '../calls/deadline';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { PaymentRow } from '../ledger/ledger.entities';
import type { UnprovedAttempt } from '../limits/caller-limits';
import { PaidCall, ReplayPolicy } from './paid-call';
import { requestValidator } from './paid-requests';
import { checkScheme, checkTerms, checkTime } from './pay';
import { analyze, aPayment, noon, terms, type Wish } from './payment.fixture';

const other = '0x00000000000000000000000000000000000000A1';
const tooDear = { value: '50001' };

describe('checkScheme', () => {
  it.each<[string, Wish]>([
    ['version 1 with the short name', { version: 1 }],
    ['version 1 with the long name', { version: 1, offer: { network: 'eip155:8453' } }],
    ['version 2 with the long name', { version: 2 }],
  ])('takes %s', (_, wish) => expect(checkScheme(aPayment(wish), terms)).toBeNull());

  it.each<[string, Wish, string]>([
    ['another scheme', { offer: { scheme: 'upto' } }, 'unsupported_scheme'],
    ['no scheme', { offer: { scheme: undefined } }, 'unsupported_scheme'],
    ['another scheme in version 2', { version: 2, offer: { scheme: 'upto' } }, 'unsupported_scheme'],
    ['another network', { offer: { network: 'base-sepolia' } }, 'unsupported_network'],
    ['no network', { offer: { network: undefined } }, 'unsupported_network'],
    ['the short name in version 2', { version: 2, offer: { network: 'base' } }, 'unsupported_network'],
    ['another network in version 2', { version: 2, offer: { network: 'eip155:1' } }, 'unsupported_network'],
    ['both wrong: the scheme is checked first', { offer: { scheme: 'upto', network: 'x' } }, 'unsupported_scheme'],
  ])('refuses %s', (_, wish, code) => expect(checkScheme(aPayment(wish), terms)?.code).toBe(code));

  it('knows another chain by its own names', () => {
    const sepolia = { ...terms, chain: CHAINS[1]! };
    expect(checkScheme(aPayment({ offer: { network: 'base-sepolia' } }), sepolia)).toBeNull();
    expect(checkScheme(aPayment(), sepolia)?.details).toMatchObject({ expected: 'eip155:84532' });
  });
});

describe('checkTerms', () => {
  it.each<[string, Wish]>([
    ['version 1', { version: 1 }],
    ['version 2', { version: 2 }],
    ['addresses in lower case', { version: 1, authorization: { to: terms.payTo.toLowerCase() } }],
    ['an asset in lower case', { version: 2, offer: { asset: terms.asset.toLowerCase() } }],
  ])('takes %s', (_, wish) => expect(checkTerms(aPayment(wish), analyze, terms)).toBeNull());

  it.each<[string, Wish, string, object]>([
    ['signed for another', { authorization: { to: other } }, 'wrong_recipient', { expected: terms.payTo }],
    ['accepted for another', { version: 2, offer: { payTo: other } }, 'wrong_recipient', { expected: terms.payTo }],
    ['accepted for nobody', { version: 2, offer: { payTo: undefined } }, 'wrong_recipient', {}],
    ['accepted in another token', { version: 2, offer: { asset: other } }, 'wrong_asset', { expected: terms.asset }],
    ['accepted in no token', { version: 2, offer: { asset: null } }, 'wrong_asset', {}],
    ['too much', { authorization: tooDear }, 'amount_mismatch', { expected: '50000', received: '50001' }],
    ['too little', { authorization: { value: '49999' } }, 'amount_mismatch', { received: '49999' }],
    ['accepted another amount', { version: 2, offer: { amount: '1' } }, 'amount_mismatch', { received: '1' }],
    ['accepted no amount', { version: 2, offer: { amount: undefined } }, 'amount_mismatch', { received: null }],
    ['accepted a number', { version: 2, offer: { amount: 50_000 } }, 'amount_mismatch', { received: null }],
    ['accepted an amount that is not text', { version: 2, offer: { amount: { toString: 1 } } }, 'amount_mismatch', {}],
    [
      'accepted a long text',
      { version: 2, offer: { amount: '9'.repeat(99) } },
      'amount_mismatch',
      { received: '9'.repeat(80) },
    ],
  ])('refuses what is %s', (_, wish, code, details) => {
    const refusal = checkTerms(aPayment(wish), analyze, terms);
    expect(refusal?.code).toBe(code);
    expect(refusal?.details).toMatchObject({ ...details, charged: false, retry: 'pay_again' });
  });

  it('compares with the price of the endpoint that is called', () => {
    for (const endpoint of PAID_ENDPOINTS) {
      const matches = endpoint.priceMicros === analyze.priceMicros;
      expect(checkTerms(aPayment(), endpoint, terms)).toEqual(matches ? null : expect.anything());
    }
  });

  it('checks the recipient, then the token, then the amount', () => {
    const codeOf = (wish: Wish) => checkTerms(aPayment({ version: 2, ...wish }), analyze, terms)?.code;
    expect(codeOf({ authorization: { to: other, ...tooDear }, offer: { asset: other } })).toBe('wrong_recipient');
    expect(codeOf({ authorization: tooDear, offer: { asset: other } })).toBe('wrong_asset');
    expect(codeOf({ authorization: tooDear })).toBe('amount_mismatch');
  });
});

describe('checkTime', () => {
  const nowSeconds = noon.getTime() / 1_000;
  const check = (authorization: Wish['authorization'], now = noon) =>
    checkTime(aPayment({ authorization }), terms, now);
  const codeWith = (secondsLeft: number) => check({ validBefore: String(nowSeconds + secondsLeft) })?.code;
  const codeBefore = (seconds: number) => check({ validAfter: String(nowSeconds + seconds) })?.code;

  it.each([6, 7, 300, 900])('takes %i s left', (seconds) => expect(codeWith(seconds)).toBeUndefined());
  it.each([5, 0, -1, -nowSeconds])('refuses %i s left', (seconds) =>
    expect(codeWith(seconds)).toBe('authorization_expired'),
  );
  it.each([901, 10 ** 9])('refuses %i s left', (seconds) =>
    expect(codeWith(seconds)).toBe('authorization_valid_too_long'),
  );

  it.each([-nowSeconds, 0, 30])('takes an authorization that is valid in %i s', (seconds) =>
    expect(codeBefore(seconds)).toBeUndefined(),
  );
  it('refuses an authorization that is valid in 31 s', () =>
    expect(codeBefore(31)).toBe('authorization_not_yet_valid'));

  it('counts the milliseconds of the clock', () => {
    const later = new Date(noon.getTime() + 1);
    expect(check({ validBefore: String(nowSeconds + 6) }, later)?.code).toBe('authorization_expired');
    expect(check({ validBefore: String(nowSeconds + 901) }, new Date(noon.getTime() + 1_000))).toBeNull();
  });

  it.each([`1${'0'.repeat(60)}`, '9'.repeat(78)])('refuses a time beyond the calendar: %s', (validBefore) => {
    expect(check({ validBefore })?.details).toEqual({
      code: 'authorization_valid_too_long',
      charged: false,
      retry: 'pay_again',
    });
  });
});

const validators = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, requestValidator(endpoint)]));
const of = (operation: Operation) => validators.get(operation)!;
const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
const task = { name: 'sync', success_rate: 0.5, current_streak: 1, best_streak: 2 };

describe('check', () => {
  it.each(PAID_ENDPOINTS.map(({ operation, exampleInput }) => [operation, exampleInput] as const))(
    'takes the example of %s',
    (operation, example) => expect(of(operation).check(example)).toEqual({ valid: true }),
  );

  it('explains what it refuses', () => {
    expect(of('reliability').check({ tasks: [{ ...task, runs: -1 }] })).toMatchObject({
      valid: false,
      issues: [{ path: '/tasks/0/runs', code: 'out_of_range' }],
    });
  });

  it('refuses an unknown property at the top and lets one inside an item be', () => {
    expect(of('analyze').check({ habits: [habit], user_id: 'x' })).toMatchObject({
      valid: false,
      issues: [{ path: '/user_id', code: 'unknown_property' }],
    });
    expect(of('analyze').check({ habits: [{ ...habit, user_id: 'x' }] })).toEqual({ valid: true });
  });
});

describe('warnings', () => {
  it('has none for known properties', () => {
    expect(of('analyze').warnings({ habits: [{ ...habit, metadata: { x: 1 }, risk_score: 1 }] })).toEqual([]);
  });

  it('names each unknown property and each stale streak, item by item', () => {
    const habits = [habit, { x: 1, ...habit, current_streak: 3, 'a "b"': 2 }, { ...habit, current_streak: 2 }];
    expect(of('insights').warnings({ habits })).toEqual([
      'habits[1]: unknown property "x" ignored.',
      'habits[1]: unknown property "a \\"b\\"" ignored.',
      'habits[1]: current_streak is above best_streak; the larger is used.',
    ]);
  });

  it('speaks of tasks, and of the one habit of a plan', () => {
    expect(of('reliability').warnings({ tasks: [{ ...task, x: 1 }] })).toEqual([
      'tasks[0]: unknown property "x" ignored.',
    ]);
    expect(of('plan').warnings({ habit: { ...habit, x: 1 } })).toEqual(['habit: unknown property "x" ignored.']);
    expect(of('plan').warnings({ habits: [{ ...habit, x: 1 }] })).toEqual(['habits[0]: unknown property "x" ignored.']);
  });

  it('knows names that every object has for unknown ones', () => {
    expect(of('analyze').warnings({ habits: [{ ...habit, toString: 1 }] })).toHaveLength(1);
  });
});

describe('input', () => {
  it('is the body itself when nothing is to trim', () => {
    for (const { operation, exampleInput } of PAID_ENDPOINTS)
      expect(of(operation).input(exampleInput)).toBe(exampleInput);
  });

  it('has names and labels without the white space around them, and leaves the body alone', () => {
    const body = { system: ' warehouse', tasks: [task, { ...task, name: '\tsync\u00a0' }] };
    const before = structuredClone(body);
    expect(of('reliability').input(body)).toEqual({ system: 'warehouse', tasks: [task, task] });
    expect(body).toEqual(before);
  });

  it('trims the one habit of a plan', () => {
    expect(of('plan').input({ habit: { ...habit, name: ' Run ' } })).toEqual({ habit });
  });
});

type Mode = AgentGatewayConfig['PAYMENT_REPLAY'];
const policy = (PAYMENT_REPLAY: Mode) => new ReplayPolicy({ PAYMENT_REPLAY } as AgentGatewayConfig);

interface Keys {
  identifier?: string;
  key?: string;
}
const row = ({ identifier, key }: Keys = {}) =>
  ({ paymentIdentifier: identifier ?? null, idempotencyKey: key ?? null }) as PaymentRow;

function aCall({ identifier, key }: Keys = {}, value: object = analyze.exampleInput): PaidCall {
  const extensions = identifier && { 'payment-identifier': { info: { id: identifier } } };
  const facts = {
    surface: 'http' as const,
    endpoint: analyze,
    value,
    input: value,
    warnings: [],
    idempotencyKey: key ?? null,
    requestId: 'request-1',
    deadline: new Deadline(5_000),
  };
  const payment = aPayment({ version: 2, extensions: extensions || undefined });
  return new PaidCall(facts, payment, {} as UnprovedAttempt);
}

const identifier = 'a-payment-identifier';

describe('who may get an answer a second time', () => {
  it.each<[Mode, Keys, Keys, boolean]>([
    ['identical', {}, {}, true],
    ['identical', { key: 'k' }, {}, true],
    ['off', {}, {}, false],
    ['off', { key: 'k' }, { key: 'k' }, false],
    ['off', { identifier }, { identifier }, false],
    ['keyed', {}, {}, false],
    ['keyed', {}, { key: 'k' }, false],
    ['keyed', { key: 'k' }, {}, false],
    ['keyed', { key: 'k' }, { key: 'other' }, false],
    ['keyed', { key: 'k' }, { key: 'k' }, true],
    ['keyed', { identifier }, { identifier }, true],
  ])('%s: first with %j, then with %j: %p', (mode, first, repeat, allowed) => {
    expect(policy(mode).allows(row(first), aCall(repeat))).toBe(allowed);
  });
});

describe('which copies share an answer while it is made', () => {
  const share = (mode: Mode, one: PaidCall, other: PaidCall) => {
    const [first, second] = [policy(mode).joinKey(one), policy(mode).joinKey(other)];
    return first !== null && first === second;
  };

  it.each<[Mode, Keys, Keys, boolean]>([
    ['identical', {}, {}, true],
    ['identical', { key: 'k' }, { key: 'other' }, true],
    ['keyed', {}, {}, false],
    ['keyed', { key: 'k' }, { key: 'k' }, true],
    ['keyed', { key: 'k' }, { key: 'other' }, false],
    ['keyed', { identifier }, { identifier }, true],
    ['off', {}, {}, false],
    ['off', { key: 'k' }, { key: 'k' }, false],
  ])('%s: with %j and with %j: %p', (mode, one, other, shared) => {
    expect(share(mode, aCall(one), aCall(other))).toBe(shared);
  });

  it('calls with another body or another payment never do', () => {
    const otherBody = aCall({}, { habits: [{ name: 'Read', completion_rate: 1, current_streak: 1, best_streak: 1 }] });
    expect(share('identical', aCall(), otherBody)).toBe(false);
    expect(share('identical', aCall(), aCall({ identifier }))).toBe(false);
  });
});

describe('the fingerprint of a request', () => {
  const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
  const reordered = { best_streak: 2, current_streak: 1, completion_rate: 0.5, name: 'Run' };
  it('is that of the canonical body', () => {
    expect(aCall({}, { habits: [habit] }).fingerprint).toBe(aCall({}, { habits: [reordered] }).fingerprint);
    expect(aCall({}, { habits: [habit] }).fingerprint).not.toBe(aCall({}, { habits: [habit, habit] }).fingerprint);
    expect(aCall({}, { habits: [habit] }).fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
});

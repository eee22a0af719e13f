import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
/** A gateway with other settings on the same ledger. */
const others = new Map<string, Gateway>();
beforeAll(async () => {
  gateway = await startGateway();
  const otherPayTo = '0x00000000000000000000000000000000000000A1';
  for (const [name, settings] of Object.entries({
    keyed: { PAYMENT_REPLAY: 'keyed' },
    off: { PAYMENT_REPLAY: 'off' },
    'other recipient': { X402_PAY_TO: otherPayTo },
    'other token': { X402_ASSET: otherPayTo, X402_ASSET_NAME: 'Play' },
    'other keys': { ANSWER_KEYS: `other:${Buffer.alloc(32, 8).toString('base64')}` },
  })) {
    others.set(name, await startGateway({ besides: gateway, settings }));
  }
});
afterAll(async () => {
  for (const other of others.values()) await other.close();
  await gateway.close();
});

const replayed = ({ status, body, headers }: Reply) => [status, body.error ?? headers.get('idempotent-replayed')];
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

describe('PAYMENT_REPLAY=keyed', () => {
  it.each<[string, object, object, unknown]>([
    ['the same key', key('k1'), key('k1'), [200, 'true']],
    ['another key', key('k1'), key('k2'), [402, 'payment_already_used']],
    ['no key the second time', key('k1'), {}, [402, 'payment_already_used']],
    ['no key the first time', {}, key('k1'), [402, 'payment_already_used']],
    ['no key at all', {}, {}, [402, 'payment_already_used']],
  ])('%s', async (_, first, again, expected) => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign();
    expect(replayed(await keyed.pay(payment, first))).toEqual([200, null]);
    expect(replayed(await keyed.pay(payment, again))).toEqual(expected);
  });

  it('a payment identifier is a key', async () => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign({ version: 2, identifier: 'an-identifier-of-mine' });
    expect(replayed(await keyed.pay(payment))).toEqual([200, null]);
    expect(replayed(await keyed.pay(payment))).toEqual([200, 'true']);
  });

  it('a settled payment without an answer gets one without a key', async () => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign();
    keyed.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
    expect((await keyed.pay(payment)).status).toBe(502);
    expect(replayed(await keyed.pay(payment))).toEqual([200, null]);
  });
});

describe('PAYMENT_REPLAY=off', () => {
  it('gives an answer once, and still settles once', async () => {
    const off = others.get('off')!;
    const payment = await off.aBuyer().sign();
    const answers = await Promise.all([1, 2, 3].map(() => off.pay(payment, key('k1'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402, 402]);
    expect(replayed(await off.pay(payment, key('k1')))).toEqual([402, 'payment_already_used']);
    expect(off.callsAbout(payment.nonce).settle).toBe(1);
  });
});

describe('settings that have changed since', () => {
  it.each<[string, 1 | 2, string]>([
    ['other recipient', 1, 'wrong_recipient'],
    ['other token', 2, 'wrong_asset'],
  ])('%s: a paid call is still answered, anything else is refused', async (name, version, code) => {
    const changed = others.get(name)!;
    const payment = await gateway.aBuyer().sign({ version });
    const first = await gateway.pay(payment);
    const again = await changed.pay(payment);
    expect(replayed(again)).toEqual([200, 'true']);
    expect(again.text).toBe(first.text);
    expect(settlementResponseIn(again.headers)).toEqual(settlementResponseIn(first.headers));

    const body = { habits: [{ name: 'Read', completion_rate: 1, current_streak: 1, best_streak: 1 }] };
    expect(replayed(await changed.pay(payment, { body }))).toEqual([402, code]);
    expect(replayed(await changed.pay(await gateway.aBuyer().sign({ version })))).toEqual([402, code]);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });

  it('without the key of an answer: the answer counts as expired', async () => {
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).status).toBe(200);
    expect(replayed(await others.get('other keys')!.pay(payment))).toEqual([402, 'payment_already_used']);
    expect(replayed(await gateway.pay(payment))).toEqual([200, 'true']);
  });
});

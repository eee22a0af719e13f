import type { Buyer } from '../buyer.fixture';
import { aBuyerWith, aCredit, redeem } from '../credits/credit.fixture';
import { Facilitator } from '../facilitator/facilitator';
import { startGateway, type Gateway, type PaidRequest, type Reply } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';

// The machine may be busy. The tests count calls and measure no time.
const settings = {
  FACILITATOR_VERIFY_TIMEOUT_MS: '20000',
  PAID_ANSWER_BUDGET_MS: '30000',
  RATE_LIMIT_SCALE: '1',
  RATE_AGENT_ADDRESS: '5/60',
  RATE_AGENT_UNPROVED: '5/60',
  RATE_AGENT_WALLET: '3/60',
  TRUSTED_PROXY_HOPS: '1',
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings });
});
afterAll(() => gateway.close());
afterEach(() => {
  gateway.facilitator.control({ mode: 'ok' });
  gateway.clock.advanceMs(180_000 - (gateway.clock.now().getTime() % 60_000));
});

/** Each test calls from its own address. */
let host = 0;
const anAddress = () => `192.0.2.${(host += 1)}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

const unpaid = (address: string, init: RequestInit = {}) =>
  gateway.send(analyze.path, { method: 'POST', headers: from(address), ...init });
const statuses = async (count: number, call: (index: number) => Promise<Reply>) => {
  const all: number[] = [];
  for (let index = 0; index < count; index++) all.push((await call(index)).status);
  return all;
};
const limitOf = ({ headers }: Reply) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
/** Well formed, but signed by another wallet than it names: never valid. */
const forgedFor = (victim: Buyer) => gateway.aBuyer().sign({ authorization: { from: victim.wallet } });
const aForged = () => forgedFor(gateway.aBuyer());
const times = (count: number, status: number) => Array<number>(count).fill(status);
const otherHabit = { completion_rate: 0.5, current_streak: 1, best_streak: 4 };

describe('calls without payment', () => {
  it('state the limit status of their address', async () => {
    const address = anAddress();
    expect(limitOf(await unpaid(address))).toEqual(['"agent";q=5;w=60', '"agent";r=4;t=60']);
    gateway.clock.advanceMs(10_000);
    expect(limitOf(await unpaid(address))).toEqual(['"agent";q=5;w=60', '"agent";r=3;t=50']);
  });

  it('are 429 over the limit, until the stated time', async () => {
    const address = anAddress();
    expect(await statuses(6, () => unpaid(address))).toEqual([...times(5, 402), 429]);
    gateway.clock.advanceMs(30_500);
    const { status, headers, body } = await unpaid(address);
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '42']);
    expect(body.details).toEqual({
      scope: 'address',
      limit: 5,
      window_seconds: 60,
      charged: false,
      retry: 'retry_same',
    });
    expect(limitOf({ headers } as Reply)).toEqual(['"agent";q=5;w=60', '"agent";r=0;t=42']);
    gateway.clock.advanceMs(41_500);
    expect((await unpaid(address)).status).toBe(402);
  });
});

describe('counts as an unpaid call:', () => {
  const pay = async (address: string, over: PaidRequest = {}, payment?: string) =>
    gateway.pay(payment ?? (await gateway.aBuyer().sign()), { ...over, headers: from(address) });

  it.each<[string, number, (address: string) => Promise<Reply>]>([
    ['a body that is refused', 400, (address) => pay(address, { body: { habits: [] } })],
    ['a header that is no payment', 402, (address) => pay(address, {}, 'bm90aGluZw==')],
    ['a payment that does not verify', 402, async (address) => pay(address, {}, (await aForged()).header)],
    ['a credit that is none', 402, (address) => redeem(gateway, 'hrc_x', { headers: from(address) })],
  ])('%s', async (_, status, call) => {
    const address = anAddress();
    const reply = await call(address);
    expect([reply.status, reply.headers.get('ratelimit-policy')]).toEqual([
      status,
      expect.stringMatching(/^"agent";q=/),
    ]);
    expect(limitOf(await unpaid(address))[1]).toBe('"agent";r=3;t=60');
  });

  it('a facilitator that does not answer', async () => {
    const address = anAddress();
    gateway.facilitator.control({ mode: '500', on: 'verify' });
    expect((await pay(address)).status).toBe(502);
    expect(limitOf(await unpaid(address))[1]).toBe('"agent";r=3;t=60');
  });

  it('not a paid call', async () => {
    const address = anAddress();
    expect((await pay(address)).status).toBe(200);
    expect(limitOf(await unpaid(address))[1]).toBe('"agent";r=4;t=60');
  });

  it('never refuses a call that proves good, however many there are', async () => {
    const address = anAddress();
    await statuses(6, () => unpaid(address));
    expect(await statuses(8, () => pay(address))).toEqual(times(8, 200));
  });
});

describe('payments that do not verify', () => {
  const forged = async (address: string) => gateway.pay(await aForged(), { headers: from(address) });

  it('are 429 over the limit of the address, before the facilitator is asked', async () => {
    const address = anAddress();
    expect(await statuses(5, () => forged(address))).toEqual(times(5, 402));
    const { verify } = gateway.facilitator.ledger().calls;
    const { status, body } = await forged(address);
    expect([status, body.details?.scope]).toEqual([429, 'address']);
    expect(gateway.facilitator.ledger().calls.verify).toBe(verify);
    const good = await gateway.aBuyer().sign();
    expect((await gateway.pay(good, { headers: from(address) })).status).toBe(429);
    expect((await gateway.pay(good, { headers: from(anAddress()) })).status).toBe(200);
  });

  it('do not use the limit of the wallet that they name', async () => {
    const victim = gateway.aBuyer();
    await statuses(5, async () => gateway.pay(await forgedFor(victim), { headers: from(anAddress()) }));
    const paid = await statuses(3, async () => gateway.pay(await victim.sign(), { headers: from(anAddress()) }));
    expect(paid).toEqual(times(3, 200));
  });

  it('get the policy of the payer that they name, and nothing about how often it pays', async () => {
    const [known, unknown] = [await aBuyerWith(gateway, { settledMicros: 100_000_000 }), gateway.aBuyer()];
    for (const victim of [known, unknown]) await gateway.pay(await victim.sign(), { headers: from(anAddress()) });
    const toKnown = await gateway.pay(await forgedFor(known), { headers: from(anAddress()) });
    expect([toKnown.status, ...limitOf(toKnown)]).toEqual([402, '"agent";q=15;w=60', null]);
    const toUnknown = await gateway.pay(await forgedFor(unknown), { headers: from(anAddress()) });
    expect([toUnknown.status, ...limitOf(toUnknown)]).toEqual([402, '"agent";q=3;w=60', null]);
  });
});

describe('paid calls', () => {
  it('are 429 over the limit of the wallet: not settled, not written, and taken after the stated time', async () => {
    const buyer = gateway.aBuyer();
    const pay = async () => gateway.pay(await buyer.sign(), { headers: from(anAddress()) });
    expect(limitOf(await pay())).toEqual(['"agent";q=3;w=60', '"agent";r=2;t=60']);
    expect(await statuses(2, pay)).toEqual([200, 200]);

    const payment = await buyer.sign();
    const { status, headers, body } = await gateway.pay(payment, { headers: from(anAddress()) });
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '80']);
    expect(body.details).toEqual({
      scope: 'wallet',
      limit: 3,
      window_seconds: 60,
      charged: false,
      retry: 'retry_same',
    });
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 1, settle: 0 });
    expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();

    gateway.clock.advanceMs(80_000);
    expect((await gateway.pay(payment)).status).toBe(200);
  });

  it.each([
    [0, 3],
    [10, 6],
    [1_000, 30],
  ])('of a wallet that has spent %d USD may be %d a minute', async (usd, limit) => {
    const buyer = await aBuyerWith(gateway, { settledMicros: usd * 1_000_000 });
    const payments = await Promise.all(Array.from({ length: limit + 3 }, () => buyer.sign()));
    const answers = await Promise.all(payments.map((payment) => gateway.pay(payment, { headers: from(anAddress()) })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ body }) => body.details?.limit)).toEqual(times(3, limit));
  });

  it('over the limit that another replica has answered get their answer, also when the facilitator still verifies them', async () => {
    const buyer = gateway.aBuyer();
    const payments = await Promise.all(Array.from({ length: 4 }, () => buyer.sign()));
    const replica = await startGateway({ besides: gateway, settings });
    const pay = (index: number) => replica.pay(payments[index]!, { headers: from(anAddress()) });
    const verify = jest.spyOn(replica.app.get(Facilitator), 'verify').mockResolvedValue({ kind: 'valid' });
    try {
      expect((await gateway.pay(payments[0]!, { headers: from(anAddress()) })).status).toBe(200);
      expect(await statuses(3, (index) => pay(index + 1))).toEqual(times(3, 200));
      const { status, headers } = await pay(0);
      expect(verify).toHaveBeenCalledTimes(4);
      expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    } finally {
      verify.mockRestore();
      await replica.close();
    }
  });

  it('leave the wallet its window when a stranger repeats one with other bodies, and use the limit of the stranger', async () => {
    const [buyer, stranger] = [gateway.aBuyer(), anAddress()];
    const pay = async () => gateway.pay(await buyer.sign(), { headers: from(anAddress()) });
    const seen = await buyer.sign();
    expect((await gateway.pay(seen, { headers: from(anAddress()) })).status).toBe(200);

    // As facilitators of version 1 do, which do not see that an authorization is spent.
    const verify = jest.spyOn(gateway.app.get(Facilitator), 'verify').mockResolvedValue({ kind: 'valid' });
    const habit = (name: number) => ({ habits: [{ ...otherHabit, name: `habit ${name}` }] });
    const steal = (index: number) => gateway.pay(seen, { headers: from(stranger), body: habit(index) });
    const stolen = [];
    for (let index = 0; index < 6; index++) stolen.push(await steal(index));
    verify.mockRestore();
    expect(stolen.map(({ status, body }) => [status, body.error, body.details?.scope])).toEqual([
      ...Array<unknown>(5).fill([402, 'payment_already_used', undefined]),
      [429, 'rate_limited', 'address'],
    ]);
    expect(await statuses(3, pay)).toEqual([200, 200, 429]);
  });

  it('repeated 60 times a minute get their answer without a verify, then 429 with the word to repeat', async () => {
    const [payment, address] = [await gateway.aBuyer().sign(), anAddress()];
    const repeat = () => gateway.pay(payment, { headers: from(address) });
    expect(await statuses(61, repeat)).toEqual(times(61, 200));
    const { status, body, headers } = await repeat();
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '61']);
    expect(body.details).toMatchObject({ scope: 'payment', limit: 60, charged: null, retry: 'retry_same' });
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 1, settle: 1 });
    gateway.clock.advanceMs(61_000);
    expect((await repeat()).status).toBe(200);
  });

  it('with a credit use the limit of the wallet that earned it', async () => {
    const { token, buyer } = await aCredit(gateway);
    const pay = async () => gateway.pay(await buyer.sign(), { headers: from(anAddress()) });
    expect(await statuses(5, pay)).toEqual(times(5, 200));
    const { status, body } = await redeem(gateway, token, { headers: from(anAddress()) });
    expect([status, body.details?.scope, body.details?.limit]).toEqual([429, 'wallet', 6]);

    gateway.clock.advanceMs(70_000);
    const reply = await redeem(gateway, token, { headers: from(anAddress()) });
    expect([reply.status, ...limitOf(reply)]).toEqual([200, '"agent";q=6;w=60', '"agent";r=0;t=50']);
  });
});

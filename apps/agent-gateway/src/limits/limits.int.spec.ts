import type { Buyer, SignedPayment } from '../buyer.fixture';
import { aBuyerWith, aCredit, redeem } from '../credits/credit.fixture';
import { Facilitator } from '../facilitator/facilitator';
import { aGateway, PATIENT, type Reply, startGateway, statusesOf, times } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';

const settings = {
  ...PATIENT,
  RATE_LIMIT_SCALE: '1',
  RATE_AGENT_ADDRESS: '5/60',
  RATE_AGENT_UNPROVED: '5/60',
  RATE_AGENT_WALLET: '3/60',
  TRUSTED_PROXY_HOPS: '1',
};
const gateway = aGateway({ settings });
afterEach(() => {
  jest.restoreAllMocks();
  gateway.clock.advanceMs(180_000 - (gateway.clock.now().getTime() % 60_000));
});

/** Each test calls from its own address. */
let host = 0;
const anAddress = () => ({ 'x-forwarded-for': `192.0.2.${(host += 1)}` });
type Address = ReturnType<typeof anAddress>;

const unpaid = (headers: Address) => gateway.send(analyze.path, { method: 'POST', headers });
const payFrom = async (headers: Address, payment?: SignedPayment | string, body?: unknown) =>
  gateway.pay(payment ?? (await gateway.aBuyer().sign()), { headers, body });
/** Each call from an address of its own. */
const payAs = async (buyer: Buyer) => payFrom(anAddress(), await buyer.sign());
const limitOf = ({ headers }: Reply) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
/** Well formed, but signed by another wallet than it names: never valid. */
const forgedFor = (victim: Buyer) => gateway.aBuyer().sign({ authorization: { from: victim.wallet } });
const aForged = () => forgedFor(gateway.aBuyer());
/** As facilitators of version 1 do, which do not see that an authorization is spent. */
const takesAnything = (by = gateway) =>
  jest.spyOn(by.app.get(Facilitator), 'verify').mockResolvedValue({ kind: 'valid' });

it('calls without payment state the limit of their address, and over it are 429 until the stated time', async () => {
  const address = anAddress();
  expect(limitOf(await unpaid(address))).toEqual(['"agent";q=5;w=60', '"agent";r=4;t=60']);
  gateway.clock.advanceMs(10_000);
  expect(limitOf(await unpaid(address))).toEqual(['"agent";q=5;w=60', '"agent";r=3;t=50']);
  expect(await statusesOf(4, () => unpaid(address))).toEqual([...times(3, 402), 429]);
  gateway.clock.advanceMs(20_500);
  const refused = await unpaid(address);
  expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '42']);
  const details = { scope: 'address', limit: 5, window_seconds: 60, charged: false, retry: 'retry_same' };
  expect([refused.body.details, limitOf(refused)]).toEqual([details, ['"agent";q=5;w=60', '"agent";r=0;t=42']]);
  gateway.clock.advanceMs(41_500);
  expect((await unpaid(address)).status).toBe(402);
});

it.each<[string, number, number, (address: Address) => Promise<Reply>]>([
  ['a body that is refused', 400, 3, (address) => payFrom(address, undefined, { habits: [] })],
  ['a payment that does not verify', 402, 3, async (address) => payFrom(address, await aForged())],
  ['a credit that is none', 402, 3, (address) => redeem(gateway, 'hrc_x', { headers: address })],
  ['a facilitator that does not answer', 502, 3, (address) => payFrom(address)],
  ['a paid call', 200, 4, (address) => payFrom(address)],
])('of an address %s (%i) leaves %i unpaid calls', async (_, status, left, call) => {
  const address = anAddress();
  if (status === 502) gateway.control({ mode: '500', on: 'verify' });
  const reply = await call(address);
  expect([reply.status, limitOf(reply)[0]]).toEqual([status, expect.stringMatching(/^"agent";q=/)]);
  expect(limitOf(await unpaid(address))[1]).toBe(`"agent";r=${left};t=60`);
});

it('an address over its limit still pays, however often', async () => {
  const address = anAddress();
  await statusesOf(6, () => unpaid(address));
  expect(await statusesOf(8, () => payFrom(address))).toEqual(times(8, 200));
});

describe('payments that do not verify', () => {
  it('do not use the limit of the wallet that they name', async () => {
    const victim = gateway.aBuyer();
    await statusesOf(5, async () => payFrom(anAddress(), await forgedFor(victim)));
    expect(await statusesOf(3, () => payAs(victim))).toEqual(times(3, 200));
  });

  it.each([
    [100, 15],
    [0, 3],
  ])('get the policy of the payer that they name (%i USD), and nothing about how often it pays', async (usd, limit) => {
    const victim = await aBuyerWith(gateway, { settledMicros: usd * 1_000_000 });
    await payAs(victim);
    const refused = await payFrom(anAddress(), await forgedFor(victim));
    expect([refused.status, ...limitOf(refused)]).toEqual([402, `"agent";q=${limit};w=60`, null]);
  });
});

describe('paid calls', () => {
  it('are 429 over the limit of the wallet: not settled, not written, and taken after the stated time', async () => {
    const buyer = gateway.aBuyer();
    expect(limitOf(await payAs(buyer))).toEqual(['"agent";q=3;w=60', '"agent";r=2;t=60']);
    expect(await statusesOf(2, () => payAs(buyer))).toEqual([200, 200]);
    const payment = await buyer.sign();
    const { status, headers, body } = await payFrom(anAddress(), payment);
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '80']);
    const details = { scope: 'wallet', limit: 3, window_seconds: 60, charged: false, retry: 'retry_same' };
    expect(body.details).toEqual(details);
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 1, settle: 0 });
    expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
    gateway.clock.advanceMs(80_000);
    expect((await gateway.pay(payment)).status).toBe(200);
  });

  it('of a wallet that has spent 1,000 USD may be ten times as many', async () => {
    const limit = 30;
    const buyer = await aBuyerWith(gateway, { settledMicros: 1_000_000_000 });
    const answers = await Promise.all(Array.from({ length: limit + 3 }, () => payAs(buyer)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ body }) => body.details?.limit)).toEqual(times(3, limit));
  });

  it('over the limit, that another replica has answered, get their answer, also when they still verify', async () => {
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign();
    const replica = await startGateway({ besides: gateway, settings });
    const verify = takesAnything(replica);
    expect((await payFrom(anAddress(), payment)).status).toBe(200);
    const atReplica = async () => replica.pay(await buyer.sign(), { headers: anAddress() });
    expect(await statusesOf(3, atReplica)).toEqual(times(3, 200));
    const { status, headers } = await replica.pay(payment, { headers: anAddress() });
    await replica.close();
    expect(verify).toHaveBeenCalledTimes(4);
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  it('leave the wallet its window when a stranger repeats one with other bodies, and use the limit of the stranger', async () => {
    const [buyer, stranger] = [gateway.aBuyer(), anAddress()];
    const seen = await buyer.sign();
    expect((await payFrom(anAddress(), seen)).status).toBe(200);
    const verify = takesAnything();
    const habit = { completion_rate: 0.5, current_streak: 1, best_streak: 4 };
    const stolen: unknown[] = [];
    for (let index = 0; index < 6; index++) {
      const { body } = await payFrom(stranger, seen, { habits: [{ ...habit, name: `habit ${index}` }] });
      stolen.push(body.error);
    }
    verify.mockRestore();
    expect(stolen).toEqual([...Array<string>(5).fill('payment_already_used'), 'rate_limited']);
    expect(await statusesOf(3, () => payAs(buyer))).toEqual([200, 200, 429]);
  });

  it('repeated 60 times a minute get their answer without a verify, then 429 with the word to repeat', async () => {
    const [payment, address] = [await gateway.aBuyer().sign(), anAddress()];
    expect(await statusesOf(61, () => payFrom(address, payment))).toEqual(times(61, 200));
    const { status, body, headers } = await payFrom(address, payment);
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '61']);
    expect(body.details).toMatchObject({ scope: 'payment', limit: 60, charged: null, retry: 'retry_same' });
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 1, settle: 1 });
    gateway.clock.advanceMs(61_000);
    expect((await payFrom(address, payment)).status).toBe(200);
  });

  it('with a credit use the limit of the wallet that earned it', async () => {
    const { token, buyer } = await aCredit(gateway);
    expect(await statusesOf(5, () => payAs(buyer))).toEqual(times(5, 200));
    const { status, body } = await redeem(gateway, token, { headers: anAddress() });
    expect([status, body.details]).toMatchObject([429, { scope: 'wallet', limit: 6 }]);
    gateway.clock.advanceMs(70_000);
    const reply = await redeem(gateway, token, { headers: anAddress() });
    expect([reply.status, ...limitOf(reply)]).toEqual([200, '"agent";q=6;w=60', '"agent";r=0;t=50']);
  });
});

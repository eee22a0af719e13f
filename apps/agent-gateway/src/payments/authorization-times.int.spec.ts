import type { SignedPayment } from '../buyer.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { callTool, opened } from '../mcp/mcp.fixture';
import type { Authorization } from '../calls/payment';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const secondsFromNow = (seconds: number) => String(gateway.clock.now().getTime() / 1_000 + seconds);

/** The refusal of a payment, over HTTP and over MCP. */
const DOORS: [string, (payment: SignedPayment) => Promise<Record<string, unknown>>][] = [
  ['HTTP', async (payment) => (await gateway.pay(payment)).body],
  [
    'MCP',
    async ({ header }) => (await callTool(gateway, { meta: { 'x402/payment': opened(header) } })).structuredContent,
  ],
];

/** Times that are refused at the time of the test. */
const REFUSED: [string, () => Partial<Authorization>, string][] = [
  ['valid for 901 s', () => ({ validBefore: secondsFromNow(901) }), 'authorization_valid_too_long'],
  ['valid until 10^60', () => ({ validBefore: `1${'0'.repeat(60)}` }), 'authorization_valid_too_long'],
  ['valid in 31 s', () => ({ validAfter: secondsFromNow(31) }), 'authorization_not_yet_valid'],
];

describe.each(DOORS)('over %s', (_, pay) => {
  it.each(REFUSED)(
    'an authorization %s is 402 with the offer, the facilitator is not asked and nothing is written',
    async (_, authorization, code) => {
      const payment = await gateway.aBuyer().sign({ version: 2, authorization: authorization() });
      expect(await pay(payment)).toMatchObject({
        error: code,
        details: { code, charged: false, retry: 'pay_again' },
        accepts: [expect.objectContaining({ scheme: 'exact' })],
      });
      expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 0, settle: 0, bodies: 0 });
      expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
    },
  );

  it.each<[string, () => Partial<Authorization>]>([
    ['for the longest time that is allowed', () => ({ validBefore: secondsFromNow(900) })],
    [
      'for the time that the offer states',
      () => ({ validBefore: secondsFromNow(300), validAfter: secondsFromNow(-600) }),
    ],
  ])('one that is valid %s pays', async (_, authorization) => {
    const payment = await gateway.aBuyer().sign({ version: 2, authorization: authorization() });
    expect((await pay(payment)).error).toBeUndefined();
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled' });
  });
});

it('the facilitator decides about an authorization that becomes valid within 30 s', async () => {
  const payment = await gateway.aBuyer().sign({ authorization: { validAfter: secondsFromNow(30) } });
  expect((await gateway.pay(payment)).body).toMatchObject({
    error: 'payment_rejected',
    details: { code: 'authorization_not_yet_valid' },
  });
  expect(gateway.callsAbout(payment.nonce).verify).toBe(1);
});

it('a payment that was taken gets its answer again after these times are over', async () => {
  const authorization = { validBefore: secondsFromNow(900), validAfter: secondsFromNow(-10) };
  const payment = await gateway.aBuyer().sign({ authorization });
  const first = await gateway.pay(payment);
  for (const seconds of [-1, -60]) {
    const now = gateway.clock.now();
    gateway.clock.set(new Date(now.getTime() + seconds * 1_000));
    const again = await gateway.pay(payment);
    gateway.clock.set(now);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
  }
  expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 1, bodies: 1 });
});

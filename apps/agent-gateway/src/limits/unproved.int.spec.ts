import { randomBytes } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { aCredit, redeem } from '../credits/credit.fixture';
import { aGateway, statusesOf, times } from '../gateway.fixture';
import { FindPayments } from '../ledger/find-payments';
import { callTool, opened } from '../mcp/mcp.fixture';
import { analyze, headerOf } from '../payments/payment.fixture';

/** The attacks of section "What one caller may cost the others" of docs/protocol.md, at a tenth of their size. */
const LIMIT = 60;
const settings = {
  RATE_LIMIT_SCALE: '0.1',
  RATE_AGENT_UNPROVED: '600/60',
  RATE_AGENT_ADDRESS: '6000/60',
  RATE_AGENT_WALLET: '6000/60',
  TRUSTED_PROXY_HOPS: '1',
};

const gateway = aGateway({ settings });

/** Each test calls from its own address. */
let host = 0;
const anAddress = () => ({ 'x-forwarded-for': `192.0.2.${(host += 1)}` });
type Address = ReturnType<typeof anAddress>;
const unknownToken = () => `hrc_${randomBytes(32).toString('base64url')}`;
const limited = { scope: 'address', limit: LIMIT, window_seconds: 60, charged: null, retry: 'retry_same' };
const bad = (headers: Address) => redeem(gateway, 'hrc_x', { headers });
const payFrom = async (headers: Address) => gateway.pay(await gateway.aBuyer().sign(), { headers });

/** Well formed, but too small: it is refused without the facilitator. */
const cheap = () => gateway.aBuyer().sign({ authorization: { value: '1' } });
/** Signed by another wallet than it names. */
const forged = () => gateway.aBuyer().sign({ authorization: { from: gateway.aBuyer().wallet } });

describe('one address that sends only bad calls', () => {
  it('1,500 bad payments: 429 from the limit on, before body, ledger and facilitator', async () => {
    const headers = anAddress();
    const kinds = [forged, cheap, () => Promise.resolve(headerOf({ nothing: true }))];
    const badPayment = async (index: number) => gateway.pay(await kinds[index % 3]!(), { headers });
    expect(await statusesOf(150, badPayment)).toEqual([...times(LIMIT, 402), ...times(90, 429)]);

    const { verify } = gateway.facilitator.ledger().calls;
    const lookedUp = jest.spyOn(gateway.app.get(FindPayments), 'byAuthorization');
    const good = await gateway.aBuyer().sign();
    const refused = await gateway.pay(good, { headers });
    expect([refused.status, refused.body.details]).toEqual([429, limited]);
    expect((await gateway.pay(good, { headers, body: { habits: [] } })).status).toBe(429);
    expect((await gateway.pay(good, { headers: { ...headers, 'content-type': 'text/plain' } })).status).toBe(429);
    expect((await gateway.pay(good, { headers, body: 'x'.repeat(140_000) })).status).toBe(413);
    expect(gateway.facilitator.ledger().calls.verify).toBe(verify);
    expect(lookedUp).not.toHaveBeenCalled();
    lookedUp.mockRestore();
    expect((await gateway.send(analyze.path, { method: 'POST', headers })).status).toBe(402);
    expect((await gateway.pay(good, { headers: anAddress() })).status).toBe(200);
    gateway.clock.advanceMs(120_000);
    expect((await gateway.pay(good, { headers })).status).toBe(200);
  });

  it('700 over MCP, then none over HTTP either', async () => {
    const headers = anAddress();
    const errors: unknown[] = [];
    for (let index = 0; index < LIMIT + 10; index++) {
      const payment = { 'x402/payment': opened((await forged()).header) };
      const meta = index % 2 ? { 'evenkeel/credit': unknownToken() } : payment;
      errors.push((await callTool(gateway, { meta, headers })).structuredContent.error);
    }
    expect(errors.indexOf('rate_limited')).toBe(LIMIT);
    expect(errors.slice(LIMIT)).toEqual(Array(10).fill('rate_limited'));
    const meta = { 'x402/payment': (await gateway.aBuyer().sign()).header };
    const { structuredContent, isError } = await callTool(gateway, { meta, arguments: { habits: [] }, headers });
    expect([isError, structuredContent.details]).toEqual([true, { ...limited, retry_after_seconds: 61 }]);
    expect((await payFrom(headers)).status).toBe(429);
  });
});

describe('calls that have proved good are not counted:', () => {
  /** Between all bad calls but one that the limit allows, and the last ones. */
  const amongBad = async (count: number, headers: Address, call: () => Promise<{ status: number }>) => {
    expect(await statusesOf(LIMIT - 1, () => bad(headers))).toEqual(times(LIMIT - 1, 402));
    const seen = await statusesOf(count, call);
    expect(await statusesOf(2, () => bad(headers))).toEqual([402, 429]);
    return seen;
  };

  it('payments that verify, also when they are not settled', async () => {
    const headers = anAddress();
    gateway.control({ mode: 'refused', count: 2 });
    expect(await amongBad(6, headers, () => payFrom(headers))).toEqual([402, 402, ...times(4, 200)]);
  });

  it('credits, and the second try for their lost answer', async () => {
    const [headers, { token }] = [anAddress(), await aCredit(gateway)];
    const keyed = { headers: { ...headers, 'idempotency-key': 'k1' } };
    expect(await amongBad(4, headers, () => redeem(gateway, token, keyed))).toEqual(times(4, 200));
  });

  it('honest repeats of a paid call, one after the other or all at once', async () => {
    const [headers, payment] = [anAddress(), await gateway.aBuyer().sign()];
    gateway.control({ mode: 'slow', on: 'verify', ms: 150, count: 1 });
    const copies = await Promise.all(Array.from({ length: 20 }, () => gateway.pay(payment, { headers })));
    expect(copies.map(({ status }) => status)).toEqual(times(20, 200));
    expect(await amongBad(6, headers, () => gateway.pay(payment, { headers }))).toEqual(times(6, 200));
  });

  it('but another request with the payment of another caller is counted', async () => {
    const [headers, payment] = [anAddress(), await gateway.aBuyer().sign()];
    await gateway.pay(payment, { headers: anAddress() });
    const stolen = () => gateway.pay(payment, { headers, endpoint: PAID_ENDPOINTS[2] });
    expect(await statusesOf(LIMIT + 1, stolen)).toEqual([...times(LIMIT, 402), 429]);
  });
});

import { randomBytes } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { startRedis } from '@evenkeel/services';
import { aCredit, redeem } from '../credits/credit.fixture';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
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

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings });
});
afterAll(() => gateway.close());

/** Each test calls from its own address. */
let host = 0;
const anAddress = () => ({ 'x-forwarded-for': `192.0.2.${(host += 1)}` });
const unknownToken = () => `hrc_${randomBytes(32).toString('base64url')}`;
const times = (count: number, status: number) => Array<number>(count).fill(status);
const statuses = async (count: number, call: (index: number) => Promise<{ status: number }>) => {
  const all: number[] = [];
  for (let index = 0; index < count; index++) all.push((await call(index)).status);
  return all;
};
const limitedIn = ({ status, body }: Reply) => [status, body.error, body.details];
const limited = {
  scope: 'address',
  limit: LIMIT,
  window_seconds: 60,
  charged: null,
  retry: 'retry_same',
};
const verifies = () => gateway.facilitator.ledger().calls.verify;

/** Well formed, but too small: it is refused without the facilitator. */
const cheap = () => gateway.aBuyer().sign({ authorization: { value: '1' } });
/** Signed by another wallet than it names. */
const forged = () => gateway.aBuyer().sign({ authorization: { from: gateway.aBuyer().wallet } });

describe('one address that sends only bad calls', () => {
  it('1,500 bad payments: 429 from the limit on, before body, ledger and facilitator', async () => {
    const headers = anAddress();
    const kinds = [forged, cheap, () => Promise.resolve(headerOf({ nothing: true }))];
    const bad = async (index: number) => gateway.pay(await kinds[index % 3]!(), { headers });
    expect(await statuses(150, bad)).toEqual([...times(LIMIT, 402), ...times(90, 429)]);

    const asked = verifies();
    const lookedUp = jest.spyOn(gateway.app.get(FindPayments), 'byAuthorization');
    expect((await gateway.pay(await cheap(), { headers })).status).toBe(429);
    const good = await gateway.aBuyer().sign();
    expect(limitedIn(await gateway.pay(good, { headers }))).toEqual([429, 'rate_limited', limited]);
    expect((await gateway.pay(good, { headers, body: { habits: [] } })).status).toBe(429);
    expect((await gateway.pay(good, { headers: { ...headers, 'content-type': 'text/plain' } })).status).toBe(429);
    expect((await gateway.pay(good, { headers, body: 'x'.repeat(140_000) })).status).toBe(413);
    expect(verifies()).toBe(asked);
    expect(lookedUp).not.toHaveBeenCalled();
    lookedUp.mockRestore();

    expect((await gateway.pay(good, { headers: anAddress() })).status).toBe(200);
    gateway.clock.advanceMs(120_000);
    expect((await gateway.pay(good, { headers })).status).toBe(200);
  });

  it('1,500 random credits', async () => {
    const headers = anAddress();
    const random = () => redeem(gateway, unknownToken(), { headers });
    expect(await statuses(150, random)).toEqual([...times(LIMIT, 402), ...times(90, 429)]);
    const { token } = await aCredit(gateway);
    expect(limitedIn(await redeem(gateway, token, { headers }))).toEqual([429, 'rate_limited', limited]);
    expect((await redeem(gateway, token, { headers: anAddress() })).status).toBe(200);
  });

  it('700 over MCP, then none over HTTP either', async () => {
    const headers = anAddress();
    const errors: unknown[] = [];
    for (let index = 0; index < 70; index++) {
      const meta =
        index % 2 ? { 'evenkeel/credit': unknownToken() } : { 'x402/payment': opened((await forged()).header) };
      const { structuredContent } = await callTool(gateway, { meta, headers });
      errors.push(structuredContent.error);
    }
    expect(errors.slice(LIMIT)).toEqual(Array(10).fill('rate_limited'));
    expect(errors.slice(0, LIMIT)).not.toContain('rate_limited');
    const payment = await gateway.aBuyer().sign();
    const wish = { meta: { 'x402/payment': payment.header }, arguments: { habits: [] }, headers };
    const { structuredContent, isError } = await callTool(gateway, wish);
    expect([isError, structuredContent.error]).toEqual([true, 'rate_limited']);
    expect(structuredContent.details).toEqual({ ...limited, retry_after_seconds: 61 });
    expect((await gateway.pay(payment, { headers })).status).toBe(429);
  });

  it('does not stop unpaid calls from that address', async () => {
    const headers = anAddress();
    await statuses(LIMIT + 1, () => redeem(gateway, 'hrc_x', { headers }));
    expect((await gateway.send(analyze.path, { method: 'POST', headers })).status).toBe(402);
  });
});

describe('calls that have proved good are not counted:', () => {
  const after = async (count: number, headers: Record<string, string>, call: () => Promise<{ status: number }>) => {
    const bad = () => redeem(gateway, 'hrc_x', { headers });
    expect(await statuses(LIMIT - 1, bad)).toEqual(times(LIMIT - 1, 402));
    const seen = await statuses(count, call);
    expect((await bad()).status).toBe(402);
    expect((await bad()).status).toBe(429);
    return seen;
  };

  it('payments that verify, also when they are not settled', async () => {
    const headers = anAddress();
    gateway.facilitator.control({ mode: 'refused', count: 2 });
    const seen = await after(6, headers, async () => gateway.pay(await gateway.aBuyer().sign(), { headers }));
    expect(seen).toEqual([402, 402, ...times(4, 200)]);
  });

  it('credits, and the second try for their lost answer', async () => {
    const [headers, { token }] = [anAddress(), await aCredit(gateway)];
    const keyed = { headers: { ...headers, 'idempotency-key': 'k1' } };
    expect(await after(4, headers, () => redeem(gateway, token, keyed))).toEqual(times(4, 200));
  });

  it('honest repeats of a paid call, one after the other or all at once', async () => {
    const [headers, payment] = [anAddress(), await gateway.aBuyer().sign()];
    expect(await after(6, headers, () => gateway.pay(payment, { headers }))).toEqual(times(6, 200));
    const [others, second] = [anAddress(), await gateway.aBuyer().sign()];
    gateway.facilitator.control({ mode: 'slow', on: 'verify', ms: 150, count: 1 });
    const copies = await Promise.all(Array.from({ length: 20 }, () => gateway.pay(second, { headers: others })));
    expect(copies.map(({ status }) => status)).toEqual(times(20, 200));
    expect(await after(1, others, () => gateway.pay(second, { headers: others }))).toEqual([200]);
  });

  it('but another request with the payment of another caller is counted', async () => {
    const [headers, payment] = [anAddress(), await gateway.aBuyer().sign()];
    await gateway.pay(payment, { headers: anAddress() });
    const stolen = () => gateway.pay(payment, { headers, endpoint: PAID_ENDPOINTS[2] });
    expect(await statuses(LIMIT + 1, stolen)).toEqual([...times(LIMIT, 402), 429]);
  });
});

it('two replicas with one Redis share the window, and the calls that are given back', async () => {
  await using redis = await startRedis();
  const shared = { ...settings, RATE_LIMIT_SCALE: '0.01', REDIS_URL: redis.url, REPLICA_COUNT: '2' };
  const replicas = [
    await startGateway({ besides: gateway, settings: shared }),
    await startGateway({ besides: gateway, settings: shared }),
  ];
  try {
    const headers = anAddress();
    const good = async (index: number) => replicas[index % 2]!.pay(await gateway.aBuyer().sign(), { headers });
    expect(await statuses(10, good)).toEqual(times(10, 200));
    const bad = (index: number) => redeem(replicas[index % 2]!, 'hrc_x', { headers });
    expect(await statuses(8, bad)).toEqual([...times(6, 402), 429, 429]);
  } finally {
    for (const replica of replicas) await replica.close();
  }
});

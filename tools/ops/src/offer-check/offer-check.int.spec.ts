import { AGENT_GATEWAY, AgentGatewayConfig, ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, serveService, type ServedService } from '@evenkeel/platform/testing/service';
import { run } from './run';
import type { Fetch } from './documents';

const terms = {
  baseUrl: 'https://api.example',
  asset: CHAINS[0]!.usdc.address,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
};

let database: TestDatabase;
let gateway: ServedService;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  const config = loadConfig(AgentGatewayConfig, {
    PUBLIC_BASE_URL: terms.baseUrl,
    DATABASE_URL: database.url,
    X402_RPC_URL: 'none',
    X402_PAY_TO: terms.payTo,
    RATE_LIMIT_SCALE: '1000',
    ANSWER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    RECEIPT_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}`,
  });
  gateway = await serveService(AGENT_GATEWAY, config, { clock: new ManualClock(new Date('2026-01-31T12:00:00Z')) });
});
afterAll(async () => {
  await gateway.running.close();
  await database.drop();
});

async function check(request: Fetch = fetch, ...options: string[]) {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const args = [gateway.running.url, '--public-url', terms.baseUrl, ...options];
  return { code: await run(args, streams, request), out, err };
}

/** The service as it would be if one of its answers were written by hand, and wrong. */
const altered =
  (path: string, change: (text: string) => string): Fetch =>
  async (address, init) => {
    const response = await fetch(address, init);
    if (new URL(address).pathname !== path) return response;
    const headers = new Headers(response.headers);
    const text = await response.text();
    const changed = change(text);
    const header = headers.get('payment-required');
    if (header !== null && changed === text) {
      const offer = change(Buffer.from(header, 'base64').toString());
      headers.set('payment-required', Buffer.from(offer).toString('base64'));
    }
    return new Response(changed, { status: response.status, headers });
  };

const [analyze, plan] = [PAID_ENDPOINTS[0]!, PAID_ENDPOINTS[1]!];
const other = '0x0000000000000000000000000000000000000001';

it('finds that everything a service says of its offers agrees', async () => {
  const { code, out, err } = await check();
  expect([out, err, code]).toEqual([expect.any(String), '', 0]);
  expect(out).toMatch(/^\d{3,} statements in 29 documents agree\.\noffer digest [0-9a-f]{64}\n$/);
  const { body } = await ask(`${gateway.running.url}/agent/v1/pricing`);
  expect(out).toContain(body['offer_digest']);
  expect(JSON.parse((await check(fetch, '--json')).out)).toMatchObject({ differences: [], documents: 29 });
});

it.each<[path: string, stated: string, by: string, found: RegExp]>([
  ['/', '"price_usd":0.05', '"price_usd":0.06', /^\/\/paid_endpoints\/0\/price_usd, .*analyze: price_atomic/],
  ['/llms.txt', 'plan 0.10 USD', 'plan 0.11 USD', /^\/llms.txt.*plan: price_atomic/],
  ['/agent/v1/pricing', '"amount_atomic":"50000"', '"amount_atomic":"5"', /: price_atomic/],
  ['/v1/capabilities', '"timeout_ms":5000', '"timeout_ms":9000', /: timeout_ms/],
  ['/.well-known/capabilities', terms.asset, other, /: asset/],
  ['/openapi.json', '"amount":"0.05"', '"amount":"0.50"', /: price_atomic\n {2}- "50000"/],
  ['/openapi.json', `"${plan.path}"`, `"${plan.path}s"`, /plan: method\n.*\n {2}\+ nothing/],
  ['/.well-known/x402', terms.baseUrl, 'https://old.example', /: url/],
  ['/.well-known/x402.json', '"amount":"50000"', '"amount":"60000"', /: price_atomic/],
  ['/mcp', '"amount":"50000"', '"amount":"70000"', /^\/mcp, tools\/list.*: price_atomic/],
  [analyze.path, '"offer_digest":"', '"offer_digest":"0', /402 body\/offer_digest: digest/],
  [plan.path, '"maxAmountRequired":"100000"', '"maxAmountRequired":"1"', /maxAmountRequired: price_atomic/],
  [analyze.path, '{"url":"https://api', '{"url":"https://old', /402 header\/resource\/url: url/],
  [analyze.path, '"maxItems":25', '"maxItems":26', /402 body\/input_schema.*maxItems: input_schema/],
])('finds the one place that disagrees: %s with %s as %s', async (path, stated, by, found) => {
  const { code, out } = await check(altered(path, (text) => text.replace(stated, by)));
  expect(code).toBe(1);
  expect(out).toMatch(found);
  expect(out).toMatch(/\d+ of \d+ statements differ from the offers/);
});

it('says what it cannot read, or does not understand', async () => {
  const broken = await check(altered('/openapi.json', () => '<html>'));
  expect(broken).toMatchObject({ code: 2, err: '/openapi.json is not JSON\n' });
  const gone: Fetch = (address, init) => fetch(address.replace('/llms.txt', '/gone'), init);
  expect(await check(gone)).toMatchObject({ code: 2, err: '/llms.txt answered 404, not 200\n' });
  const { code, err } = await check(fetch, '--public-url', 'ftp://x');
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/must be an http\(s\) address.*\nSee npm run offer:check -- --help/),
  ]);
});

it('finds documents that speak of another address', async () => {
  const { code, out } = await check(fetch, '--public-url', 'https://shop.example');
  expect([code, out]).toEqual([1, expect.stringMatching(/: url\n {2}- "https:\/\/shop.example\/agent/)]);
});

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  ERROR_CODES,
  KNOWN_CAPABILITIES,
  PAID_ENDPOINTS,
  PROVIDED_CAPABILITIES,
  providerOf,
  SERVICE,
} from '@evenkeel/contracts';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Ajv2020 } from 'ajv/dist/2020';
import { aGateway, type Reply } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { terms } from '../payments/payment.fixture';
import { DOCUMENT_PATHS, FILE_PATHS } from './documents';

const gateway = aGateway({ settings: { CONTACT_EMAIL: 'hello@api.example' } });
const offerDigest = () => gateway.app.get(Offers).digest;

const base = terms.baseUrl;
const PLAIN = 'text/plain; charset=utf-8';
const TYPES: Record<string, string> = {
  '/llms.txt': PLAIN,
  '/robots.txt': PLAIN,
  '/.well-known/security.txt': PLAIN,
  '/.well-known/api-catalog':
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8',
  '/favicon.svg': 'image/svg+xml',
  '/favicon.ico': 'image/x-icon',
  '/mcp/server-card': 'application/mcp-server-card+json; charset=utf-8',
  '/docs/errors': 'text/html; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

it.each([...DOCUMENT_PATHS, ...FILE_PATHS])('%s is free, for any origin, cached and not sent twice', async (path) => {
  const names = ['cache-control', 'etag', 'access-control-allow-origin', 'ratelimit-policy'];
  const facts = ({ status, headers }: Reply) => [status, ...names.map((name) => headers.get(name))];
  const get = await gateway.send(path);
  const etag = get.headers.get('etag')!;
  expect(get.headers.get('content-type')).toBe(TYPES[path] ?? 'application/json; charset=utf-8');
  const tag = expect.stringMatching(/^"[\w-]{43}(-gzip)?"$/);
  expect(facts(get)).toEqual([200, 'public, max-age=300', tag, '*', '"discovery";q=600000;w=60']);
  const again = await gateway.send(path, { headers: { 'if-none-match': etag } });
  expect([facts(again), again.text]).toEqual([[304, ...facts(get).slice(1)], '']);
  expect(again.headers.get('content-length')).toBeNull();
});

it('GET / says what is for sale and where to read on', async () => {
  const paid_endpoints = PAID_ENDPOINTS.map(({ path, priceMicros, capabilities: [capability] }) => {
    return { method: 'POST', path, price_usd: priceMicros / 1_000_000, capability };
  });
  expect((await gateway.send('/')).body).toMatchObject({
    service: 'habit-reliability-analytics',
    paid_endpoints,
    payment: { protocol: 'x402', x402_version: 1, network: 'eip155:8453' },
    links: { pricing: '/agent/v1/pricing', openapi: '/openapi.json', health: '/health' },
  });
});

it('the vectors are those of the engine that answers, all of them', async () => {
  const { body } = await gateway.send('/agent/v1/vectors');
  const functions = body['functions'] as { function: string; vectors: object[] }[];
  const folder = dirname(require.resolve(`@evenkeel/scoring/vectors/${ENGINE_VERSION}/analyzeHabits.json`));
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  expect(functions.map((one) => `${one.function}.json`).sort()).toEqual(files.sort());
  expect(body['engine_version']).toBe(ENGINE_VERSION);
  expect(functions.every(({ vectors }) => vectors.length >= 5)).toBe(true);
});

it('the capability manifest is the same at both addresses, and says who, how it is paid, and the closed vocabulary', async () => {
  const [one, two] = [await gateway.send('/v1/capabilities'), await gateway.send('/.well-known/capabilities')];
  expect([two.text, two.headers.get('etag')]).toEqual([one.text, one.headers.get('etag')]);
  const { capabilities: _, ...rest } = one.body;
  const pricing = `${base}/agent/v1/pricing`;
  const { asset, payTo: pay_to } = terms;
  expect(rest).toEqual({
    platform: { name: SERVICE.name, version: '1.0.0', description: SERVICE.description },
    payment: { protocol: 'x402', scheme: 'exact', network: 'eip155:8453', asset, pay_to, pricing },
    vocabulary: { provided: [...PROVIDED_CAPABILITIES], known: [...KNOWN_CAPABILITIES] },
    discovery: { openapi: `${base}/openapi.json`, llms_txt: `${base}/llms.txt`, pricing, offer_digest: offerDigest() },
  });
});

it.each(PROVIDED_CAPABILITIES)('the capability %s is complete', async (name) => {
  const { body } = await gateway.send('/v1/capabilities');
  const capabilities = body['capabilities'] as {
    capability: string;
    providers: { input_schema: object; output_schema: object }[];
  }[];
  const { providers } = capabilities.find(({ capability }) => capability === name)!;
  const { path, priceMicros, description, exampleResult } = providerOf(name);
  const { asset, payTo: pay_to } = terms;
  expect(providers).toEqual([
    {
      capability: name,
      version: '1',
      provider: { id: SERVICE.id, name: SERVICE.name, kind: 'first_party' },
      endpoint: base + path,
      method: 'POST',
      price: { amount_usd: priceMicros / 1_000_000, currency: 'USD', network: 'eip155:8453', asset, pay_to },
      description,
      input_schema: expect.objectContaining({ additionalProperties: false }),
      output_schema: expect.anything(),
      limits: { timeout_ms: 5000, max_items: 25 },
    },
  ]);
  const { input_schema: input, output_schema: output } = providers[0]!;
  expect(JSON.stringify([input, output])).not.toMatch(/"\$ref":"(?!#)|"metadata"/);
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  const habit = { name: 'Walk', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
  const task = { name: 'sync', success_rate: 0.9, current_streak: 1, best_streak: 2 };
  const bodies: Record<string, object> = { habit_planning: { habit }, reliability_analysis: { tasks: [task] } };
  const fitting = bodies[name] ?? { habits: [habit] };
  const takes = ajv.compile(input);
  expect([takes(fitting), takes({ ...fitting, user_id: 'u1' }), takes({})]).toEqual([true, false, false]);
  expect(ajv.compile(output)(exampleResult)).toBe(true);
});

it('listings name every endpoint, over HTTP and as a tool', async () => {
  const resources = PAID_ENDPOINTS.map(({ path }) => base + path);
  expect((await gateway.send('/.well-known/x402')).body).toEqual({ version: 1, resources });
  const { items, ...rest } = (await gateway.send('/.well-known/x402.json')).body;
  const { offersUpdatedAt: lastUpdated } = SERVICE;
  const { digest: offer_digest, all: offers } = gateway.app.get(Offers);
  expect(rest).toEqual({ x402Version: 2, lastUpdated, offer_digest, offers });
  const accepts = PAID_ENDPOINTS.map(({ priceMicros }) => [{ amount: String(priceMicros) }]);
  expect(items).toMatchObject([
    ...PAID_ENDPOINTS.map(({ exampleInput: body }, index) => {
      const input = { method: 'POST', bodyType: 'json', body };
      return { type: 'http', resource: { url: resources[index] }, accepts: accepts[index], input };
    }),
    ...PAID_ENDPOINTS.map(({ toolName }, index) => {
      const input = { type: 'mcp', toolName };
      return { type: 'mcp', resource: { url: `${base}/mcp` }, accepts: accepts[index], input };
    }),
  ]);
});

it('catalogues lead to addresses that answer', async () => {
  const api = (await gateway.send('/.well-known/api-catalog')).body as { linkset: Record<string, unknown>[] };
  const ai = (await gateway.send('/.well-known/ai-catalog.json')).body as { entries: { url: string }[] };
  const links = Object.values(api.linkset[0]!).filter(Array.isArray).flat() as { href: string }[];
  const addresses = [...links.map(({ href }) => href), ...ai.entries.map(({ url }) => url)];
  expect(addresses.length).toBeGreaterThan(9);
  for (const address of addresses) {
    expect([address, (await gateway.send(address.replace(base, ''))).status]).toEqual([address, 200]);
  }
  for (const path of ['/.well-known/api-catalog', '/']) {
    const { headers } = await gateway.send(path, { method: 'HEAD' });
    expect(headers.get('link')).toBe(`<${base}/.well-known/api-catalog>; rel="api-catalog"`);
  }
});

it('security.txt names a contact and is good for half a year', async () => {
  const { text } = await gateway.send('/.well-known/security.txt');
  expect(text).toBe(
    `Contact: mailto:hello@api.example\nExpires: 2026-08-01T00:00:00.000Z\nPreferred-Languages: en\nCanonical: ${base}/.well-known/security.txt\n`,
  );
});

it('GET /docs is a page that runs only its own scripts, and asks no other address for anything', async () => {
  const { status, headers, text } = await gateway.send('/docs');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = headers.get('content-security-policy')!;
  const [, nonce] = /script-src 'nonce-([^']+)'/.exec(policy)!;
  expect(policy).toBe(
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; ` +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const active = text.match(/<(script|link rel="stylesheet")[^>]*>/g)!;
  expect(active.map((tag) => tag.includes(`nonce="${nonce}"`))).toEqual([true, true, true]);
  expect(text).toContain("url: '/openapi.json'");
  const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) {
    expect(address).toMatch(/^\//);
    expect([address, (await gateway.send(address)).status]).toEqual([address, 200]);
  }
  // Everything that the page loads is less than a third of what it was without compression.
  const script = await gateway.send('/docs/swagger-ui-bundle.js');
  expect(Number(script.headers.get('content-length'))).toBeLessThan(script.text.length / 3);
});

it('GET /docs/errors explains every code under an anchor of its name, by a policy that its own style fits', async () => {
  const { headers, text } = await gateway.send('/docs/errors');
  const sections = [...text.matchAll(/<h2 id="(\w+)">(\d+) \1<\/h2>\n<p>\S.*<\/p>\n<p><strong>\S.*<\/strong><\/p>/g)];
  expect(sections.map(([, code, status]) => [code, Number(status)])).toEqual(
    Object.entries(ERROR_CODES).map(([code, meaning]) => [code, meaning.status]),
  );
  const [, style] = /<style>([^]*)<\/style>/.exec(text)!;
  const hash = createHash('sha256').update(style!).digest('base64');
  const policy = headers.get('content-security-policy');
  expect(policy).toContain(`; style-src 'sha256-${hash}'; connect-src`);
  expect(policy).not.toContain('script-src');
  const { status, headers: leads } = await gateway.send('/problems/payment_already_used', { redirect: 'manual' });
  expect([status, leads.get('location')]).toEqual([302, '/docs/errors#payment_already_used']);
  expect((await gateway.send('/problems/toString')).body.error).toBe('not_found');
});

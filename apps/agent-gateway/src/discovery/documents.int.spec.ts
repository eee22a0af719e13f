import { createHash } from 'node:crypto';
import {
  ERROR_CODES,
  KNOWN_CAPABILITIES,
  PAID_ENDPOINTS,
  PROVIDED_CAPABILITIES,
  providerOf,
  SERVICE,
} from '@evenkeel/contracts';
import { Ajv2020 } from 'ajv/dist/2020';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { terms } from '../payments/payment.fixture';
import { DOCUMENT_PATHS, FILE_PATHS } from './documents';

let gateway: Gateway;
let digest: string;
beforeAll(async () => {
  gateway = await startGateway({ settings: { CONTACT_EMAIL: 'hello@api.example' } });
  digest = gateway.app.get(Offers).digest;
});
afterAll(() => gateway.close());

const base = terms.baseUrl;
const JSON_TYPE = 'application/json; charset=utf-8';
const TYPES: Record<string, string> = {
  '/llms.txt': 'text/plain; charset=utf-8',
  '/robots.txt': 'text/plain; charset=utf-8',
  '/.well-known/security.txt': 'text/plain; charset=utf-8',
  '/.well-known/api-catalog':
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8',
  '/favicon.svg': 'image/svg+xml',
  '/favicon.ico': 'image/x-icon',
};

describe.each([...DOCUMENT_PATHS, ...FILE_PATHS].map((path) => [path]))('%s', (path) => {
  const names = ['cache-control', 'etag', 'access-control-allow-origin', 'ratelimit-policy'];
  const facts = ({ status, headers }: Reply) => [status, ...names.map((name) => headers.get(name))];

  it('is free, for any origin, stored by caches and not sent twice', async () => {
    const get = await gateway.send(path);
    const etag = get.headers.get('etag')!;
    expect(get.headers.get('content-type')).toBe(TYPES[path] ?? JSON_TYPE);
    expect(facts(get)).toEqual([
      200,
      'public, max-age=300',
      expect.stringMatching(/^"[\w-]{43}(-gzip)?"$/),
      '*',
      '"discovery";q=600000;w=60',
    ]);
    const again = await gateway.send(path, { headers: { 'if-none-match': etag } });
    expect([facts(again), again.text]).toEqual([[304, ...facts(get).slice(1)], '']);
    expect(again.headers.get('content-length')).toBeNull();
  });
});

describe('the capability manifest', () => {
  it('is the same at both addresses, to the byte', async () => {
    const [one, two] = [await gateway.send('/v1/capabilities'), await gateway.send('/.well-known/capabilities')];
    expect([two.text, two.headers.get('etag')]).toEqual([one.text, one.headers.get('etag')]);
  });

  it('says who, how it is paid, and the closed vocabulary', async () => {
    const { capabilities: _, ...rest } = (await gateway.send('/v1/capabilities')).body;
    expect(rest).toEqual({
      platform: { name: SERVICE.name, version: '1.0.0', description: SERVICE.description },
      payment: {
        protocol: 'x402',
        scheme: 'exact',
        network: 'eip155:8453',
        asset: terms.asset,
        pay_to: terms.payTo,
        pricing: `${base}/agent/v1/pricing`,
      },
      vocabulary: { provided: [...PROVIDED_CAPABILITIES], known: [...KNOWN_CAPABILITIES] },
      discovery: {
        openapi: `${base}/openapi.json`,
        llms_txt: `${base}/llms.txt`,
        pricing: `${base}/agent/v1/pricing`,
        offer_digest: digest,
      },
    });
  });

  it.each(PROVIDED_CAPABILITIES.map((name, index) => [name, index] as const))('%s is complete', async (name, index) => {
    const { capabilities } = (await gateway.send('/v1/capabilities')).body as { capabilities: Listed[] };
    const { path, priceMicros, description, exampleResult } = providerOf(name);
    const { capability, providers } = capabilities[index]!;
    expect([capability, providers]).toEqual([
      name,
      [
        {
          capability: name,
          version: '1',
          provider: { id: SERVICE.id, name: SERVICE.name, kind: 'first_party' },
          endpoint: base + path,
          method: 'POST',
          price: {
            amount_usd: priceMicros / 1_000_000,
            currency: 'USD',
            network: 'eip155:8453',
            asset: terms.asset,
            pay_to: terms.payTo,
          },
          description,
          input_schema: expect.objectContaining({ additionalProperties: false }),
          output_schema: expect.anything(),
          limits: { timeout_ms: 5000, max_items: 25 },
        },
      ],
    ]);
    const { input_schema: input, output_schema: output } = providers[0]!;
    expect(JSON.stringify([input, output])).not.toMatch(/"\$ref":"(?!#)/);
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    const habit = { name: 'Walk', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
    const task = { name: 'sync', success_rate: 0.9, current_streak: 1, best_streak: 2 };
    const body = { habit_planning: { habit }, reliability_analysis: { tasks: [task] } }[name as string] ?? {
      habits: [habit],
    };
    const takes = ajv.compile(input);
    expect([takes(body), takes({ ...body, user_id: 'u1' }), takes({})]).toEqual([true, false, false]);
    expect(ajv.compile(output)(exampleResult)).toBe(true);
    expect(JSON.stringify(input)).not.toContain('metadata');
  });

  type Listed = { capability: string; providers: { input_schema: object; output_schema: object }[] };
});

describe('listings', () => {
  it('index and draft name every endpoint, over HTTP and as a tool', async () => {
    const resources = PAID_ENDPOINTS.map(({ path }) => base + path);
    expect((await gateway.send('/.well-known/x402')).body).toEqual({ version: 1, resources });
    const { items, ...rest } = (await gateway.send('/.well-known/x402.json')).body as {
      items: { resource: { url: string }; type: string; input: object; accepts: { amount: string }[] }[];
    };
    expect(rest).toEqual({
      x402Version: 2,
      lastUpdated: SERVICE.offersUpdatedAt,
      offer_digest: digest,
      offers: gateway.app.get(Offers).all,
    });
    expect(items.map(({ type, resource: { url } }) => [type, url])).toEqual([
      ...resources.map((url) => ['http', url]),
      ...resources.map(() => ['mcp', `${base}/mcp`]),
    ]);
    for (const [index, { priceMicros, toolName, exampleInput }] of PAID_ENDPOINTS.entries()) {
      const [http, tool] = [items[index]!, items[index + 5]!];
      expect([http.accepts[0]!.amount, tool.accepts[0]!.amount]).toEqual([`${priceMicros}`, `${priceMicros}`]);
      expect(http.input).toEqual({ method: 'POST', bodyType: 'json', body: exampleInput });
      expect(tool.input).toMatchObject({ type: 'mcp', toolName });
    }
  });

  it('catalogues lead to addresses that answer', async () => {
    const api = (await gateway.send('/.well-known/api-catalog')).body as { linkset: Record<string, unknown>[] };
    const ai = (await gateway.send('/.well-known/ai-catalog.json')).body as { entries: { url: string }[] };
    const links = Object.values(api.linkset[0]!).filter(Array.isArray).flat() as { href: string; type: string }[];
    const addresses = [...links.map(({ href }) => href), ...ai.entries.map(({ url }) => url)];
    expect(addresses.length).toBeGreaterThan(9);
    for (const address of addresses) {
      expect([address, (await gateway.send(address.replace(base, ''))).status]).toEqual([address, 200]);
    }
    for (const [path, method] of [
      ['/.well-known/api-catalog', 'HEAD'],
      ['/', 'GET'],
    ] as const) {
      const { headers } = await gateway.send(path, { method });
      expect(headers.get('link')).toBe(`<${base}/.well-known/api-catalog>; rel="api-catalog"`);
    }
  });
});

describe('texts for sites', () => {
  it('security.txt names a contact and is good for half a year', async () => {
    const { text } = await gateway.send('/.well-known/security.txt');
    expect(text).toBe(
      `Contact: mailto:hello@api.example\nExpires: 2026-08-01T00:00:00.000Z\nPreferred-Languages: en\nCanonical: ${base}/.well-known/security.txt\n`,
    );
  });
});

const nonceIn = ({ headers }: Reply) => /script-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)?.[1];

describe('GET /docs', () => {
  it('is a page that runs only its own scripts', async () => {
    const page = await gateway.send('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const nonce = nonceIn(page)!;
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; ` +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const active = page.text.match(/<(script|link rel="stylesheet")[^>]*>/g)!;
    expect(active).toHaveLength(3);
    for (const tag of active) expect(tag).toContain(`nonce="${nonce}"`);
    expect(page.text).toContain("url: '/openapi.json'");
  });

  it('asks no other address for anything', async () => {
    const { text } = await gateway.send('/docs');
    const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) {
      expect(address).toMatch(/^\//);
      expect([address, (await gateway.send(address)).status]).toEqual([address, 200]);
    }
  });
});

describe('GET /docs/errors', () => {
  it('explains every code under an anchor of its name, and what to do', async () => {
    const { status, headers, text } = await gateway.send('/docs/errors');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const sections = [...text.matchAll(/<h2 id="(\w+)">(\d+) \1<\/h2>\n<p>\S.*<\/p>\n<p><strong>\S.*<\/strong><\/p>/g)];
    expect(sections.map(([, code, httpStatus]) => [code, Number(httpStatus)])).toEqual(
      Object.entries(ERROR_CODES).map(([code, meaning]) => [code, meaning.status]),
    );
  });

  it('has a policy that its own style fits, and no other', async () => {
    const { headers, text } = await gateway.send('/docs/errors');
    const [, style] = /<style>([^]*)<\/style>/.exec(text)!;
    const digest = createHash('sha256').update(style!).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`; style-src 'sha256-${digest}'; connect-src`);
    expect(headers.get('content-security-policy')).not.toContain('script-src');
  });
});

it.each([
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])('%s is stored by caches', async (path, type) => {
  const { status, headers, text } = await gateway.send(path);
  expect([status, headers.get('content-type'), text.length > 100_000]).toEqual([200, type, true]);
  expect(headers.get('content-encoding')).toBe('gzip');
  // Everything that the page loads is less than a third of what it was without compression.
  expect(Number(headers.get('content-length'))).toBeLessThan(text.length / 3);
  const known = { 'if-none-match': headers.get('etag')! };
  expect((await gateway.send(path, { headers: known })).status).toBe(304);
});

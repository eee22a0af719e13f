import { CHAINS, PAID_ENDPOINTS, type PaidEndpoint, SERVICE } from '@evenkeel/contracts';
import { isValidIconUrl, isValidServiceName, sanitizeTags, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { Ajv2020 } from 'ajv/dist/2020';
import type { PaymentTerms } from '../config/payment-terms';
import { terms } from '../payments/payment.fixture';
import { type Bazaar, toolBazaar } from './bazaar';
import { type Challenge, challengeBody, challengeHeader, Challenges, type Preflight } from './challenges';
import { Offers } from './offers';

const { digest } = new Offers(terms);
const challengesOf = (over: Partial<PaymentTerms> = {}) =>
  new Challenges({ ...terms, ...over }, new Offers({ ...terms, ...over }));
const refusal = { error: 'amount_mismatch', message: 'No.', details: { charged: false, retry: 'pay_again' } };

type Members = Record<string, unknown> & { accepts: Record<string, unknown>[]; extensions: { bazaar: Bazaar } };
const bodyOf = ({ body }: Challenge) => JSON.parse(body.toString()) as Members;
const headerOf = ({ header }: Challenge) => JSON.parse(Buffer.from(header, 'base64').toString()) as Members;
const unpaid = (endpoint: PaidEndpoint, over: Partial<PaymentTerms> = {}) =>
  challengesOf(over).unpaid(endpoint, { body_present: false });

const money = { asset: terms.asset, payTo: terms.payTo };
const common = { scheme: 'exact', ...money, maxTimeoutSeconds: 300, extra: { name: 'USD Coin', version: '2' } };
const schemas = new Ajv2020({ strictTypes: false, strictRequired: false, formats: { 'date-time': true } });

// The authors' validator tells the console that it knows no `date-time`.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation());
afterAll(() => jest.restoreAllMocks());

describe.each(PAID_ENDPOINTS)('the offer of $path', (endpoint) => {
  const challenge = unpaid(endpoint);
  const [body, header] = [bodyOf(challenge), headerOf(challenge)];
  const amount = String(endpoint.priceMicros);
  const flat = { scheme: 'exact', network: 'eip155:8453', ...money, amount };
  const resource = `https://api.example${endpoint.path}`;

  it('is version 1 in the body, with one entry', () => {
    expect(body).toMatchObject({
      x402Version: 1,
      error: 'payment_required',
      message: 'X-PAYMENT header is required',
      ...flat,
      price: { usd: endpoint.priceMicros / 1_000_000, usd_exact: `0.${amount.padStart(6, '0')}` },
      details: { charged: false, retry: 'pay_again' },
      offer_digest: digest,
      extensions: { preflight: { body_present: false } },
    });
    const list = endpoint.operation === 'reliability' ? 'tasks' : 'habits';
    const input = { type: 'http', method: 'POST', discoverable: true, bodyType: 'json' };
    const bodyFields = expect.objectContaining({ [list]: expect.objectContaining({ type: 'array', required: true }) });
    expect(body.accepts).toEqual([
      {
        ...common,
        network: 'base',
        networkCaip2: 'eip155:8453',
        maxAmountRequired: amount,
        amount,
        resource,
        description: endpoint.description,
        mimeType: 'application/json',
        outputSchema: { input: { ...input, bodyFields }, output: { type: 'object' } },
      },
    ]);
    expect(endpoint.description.length).toBeLessThanOrEqual(500);
  });

  it('is version 2 in the header, with one entry, and names that no listing drops', () => {
    expect(header).toMatchObject({ x402Version: 2, error: 'payment_required', ...flat });
    expect(header.accepts).toEqual([{ ...common, network: 'eip155:8453', amount }]);
    const { name: serviceName, tags } = SERVICE;
    const iconUrl = 'https://api.example/favicon.svg';
    const described = { description: endpoint.headerDescription, mimeType: 'application/json' };
    expect(header['resource']).toEqual({ url: resource, ...described, serviceName, tags, iconUrl });
    expect(header.extensions).toMatchObject({ 'payment-identifier': { info: { required: false } } });
    expect([isValidServiceName(serviceName), isValidIconUrl(iconUrl)]).toEqual([true, true]);
    expect(sanitizeTags([...tags])).toEqual(tags);
  });

  it('has a header that proxies let through', () => {
    const longest = challengesOf({ baseUrl: 'https://gateway.habit-reliability-analytics.example' });
    for (const { header: text } of [unpaid(endpoint), longest.refused(endpoint, refusal)]) {
      expect(text.length).toBeLessThanOrEqual(4_096);
      expect(text).toMatch(/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
      expect(Buffer.from(text, 'base64').toString()).not.toMatch(/\n|": |, "/);
    }
  });

  it.each([
    ['in the body', body.extensions.bazaar],
    ['in the header', header.extensions.bazaar],
  ])('describes itself %s as the authors of listings meant: the example fits the schema', (_, { info, schema }) => {
    expect(validateDiscoveryExtension({ info, schema } as never)).toEqual({ valid: true });
    const validate = schemas.compile(schema);
    const { input } = info as { input: { method: string; body: object } };
    const others = [{ method: 'GET' }, { body: { habits: 'many', tasks: 'many' } }];
    const all = [info, ...others.map((other) => ({ ...info, input: { ...input, ...other } }))];
    expect(all.map((one) => validate(one))).toEqual([true, false, false]);
    expect(JSON.stringify(schema).match(/"\$ref":"(?!#\/)/)).toBeNull();
  });

  it('describes itself as a tool too, briefly', () => {
    const bazaar = toolBazaar(endpoint);
    expect(validateDiscoveryExtension(bazaar as never)).toMatchObject({ valid: true });
    // Clients send it back with every payment, in a header of at most 16 KB with the longest signature.
    expect(JSON.stringify(bazaar).length).toBeLessThan(3_000);
  });

  const issues = [{ path: '/habits', code: 'too_few_items' as const, message: 'must contain at least 1 item' }];
  it.each<Preflight>([
    { body_present: false },
    { body_present: true, valid: true },
    { body_present: true, valid: false, issues },
  ])('has the bytes of its object, with the verdict %j', (preflight) => {
    const reason = { error: 'payment_required', message: 'X-PAYMENT header is required', details: refusal.details };
    const built = challengeBody(endpoint, terms, digest, reason);
    const { body: bytes, header: text } = challengesOf().unpaid(endpoint, preflight);
    expect(bytes.toString()).toBe(JSON.stringify({ ...built, extensions: { ...built.extensions, preflight } }));
    const object = JSON.stringify(challengeHeader(endpoint, terms, 'payment_required'));
    expect(text).toBe(Buffer.from(object).toString('base64'));
  });
});

it.each<[Partial<PaymentTerms>, string[]]>([
  [{ bodyNetwork: 'caip2' }, ['eip155:8453', 'eip155:8453', 'eip155:8453']],
  [{ chain: CHAINS[1]! }, ['base-sepolia', 'eip155:84532', 'eip155:84532']],
])('with %j the body names the chain %j', (over, names) => {
  const { accepts, network } = bodyOf(unpaid(PAID_ENDPOINTS[0]!, over));
  expect([accepts[0]!['network'], accepts[0]!['networkCaip2'], network]).toEqual(names);
});

it('the day in the listings moves on with the offers', () => {
  // Something for sale has changed: write today into SERVICE.offersUpdatedAt, and both of them here.
  expect([SERVICE.offersUpdatedAt, digest]).toEqual([
    '2026-11-23T00:00:00.000Z',
    'efa361b0dee6910aef5c5a1542568a719d7d060c41070f48d6f06f4fc8302530',
  ]);
});

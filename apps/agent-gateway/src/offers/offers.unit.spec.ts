import { CHAINS, PAID_ENDPOINTS, type PaidEndpoint, SERVICE } from '@evenkeel/contracts';
import { isValidIconUrl, isValidServiceName, sanitizeTags, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { Ajv2020 } from 'ajv/dist/2020';
import type { PaymentTerms } from '../config/payment-terms';
import { terms } from '../payments/payment.fixture';
import { resourceOf } from './accepts';
import { type Bazaar, compactBazaar, completeBazaar, toolBazaar } from './bazaar';
import { type Challenge, challengeBody, challengeHeader, Challenges } from './challenges';
import { Offers } from './offers';

const offers = new Offers(terms);
const { digest } = offers;
const challengesOf = (offered: PaymentTerms) => new Challenges(offered, new Offers(offered));
const challenges = challengesOf(terms);
const endpoints = PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint] as const);
const refusal = { error: 'amount_mismatch', message: 'No.', details: { charged: false, retry: 'pay_again' } };

type Members = Record<string, unknown> & { accepts: Record<string, unknown>[]; extensions: { bazaar: Bazaar } };
const bodyOf = ({ body }: Challenge) => JSON.parse(body.toString()) as Members;
const headerOf = ({ header }: Challenge) => JSON.parse(Buffer.from(header, 'base64').toString()) as Members;
const unpaid = (endpoint: PaidEndpoint, over: Partial<PaymentTerms> = {}) =>
  challengesOf({ ...terms, ...over }).unpaid(endpoint, { body_present: false });

const flat = ({ priceMicros }: PaidEndpoint) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  asset: terms.asset,
  payTo: terms.payTo,
  amount: String(priceMicros),
});
const domain = { name: 'USD Coin', version: '2' };

describe.each(endpoints)('the offer of %s', (_, endpoint) => {
  const challenge = unpaid(endpoint);
  const body = bodyOf(challenge);
  const header = headerOf(challenge);
  const amount = String(endpoint.priceMicros);
  const resource = `https://api.example${endpoint.path}`;

  it('is version 1 in the body, with one entry', () => {
    expect(body).toMatchObject({
      x402Version: 1,
      error: 'payment_required',
      message: 'X-PAYMENT header is required',
      ...flat(endpoint),
      price: { usd: endpoint.priceMicros / 1_000_000, usd_exact: `0.${amount.padStart(6, '0')}` },
      details: { charged: false, retry: 'pay_again' },
      offer_digest: digest,
      extensions: { preflight: { body_present: false } },
    });
    expect(body.accepts).toEqual([
      {
        scheme: 'exact',
        network: 'base',
        networkCaip2: 'eip155:8453',
        maxAmountRequired: amount,
        amount,
        asset: terms.asset,
        payTo: terms.payTo,
        resource,
        description: endpoint.description,
        mimeType: 'application/json',
        maxTimeoutSeconds: 300,
        outputSchema: expect.objectContaining({ input: expect.any(Object), output: { type: 'object' } }),
        extra: domain,
      },
    ]);
    expect(endpoint.description.length).toBeLessThanOrEqual(500);
  });

  it('is version 2 in the header, with one entry', () => {
    expect(header).toMatchObject({ x402Version: 2, error: 'payment_required', ...flat(endpoint) });
    expect(header.accepts).toEqual([
      {
        scheme: 'exact',
        network: 'eip155:8453',
        amount,
        asset: terms.asset,
        payTo: terms.payTo,
        maxTimeoutSeconds: 300,
        extra: domain,
      },
    ]);
    expect(header.resource).toEqual({
      url: resource,
      description: endpoint.headerDescription,
      mimeType: 'application/json',
      serviceName: SERVICE.name,
      tags: SERVICE.tags,
      iconUrl: 'https://api.example/favicon.svg',
    });
    expect(header.extensions).toMatchObject({ 'payment-identifier': { info: { required: false } } });
  });

  it('has a header that proxies let through', () => {
    const longest = challengesOf({ ...terms, baseUrl: 'https://gateway.habit-reliability-analytics.example' });
    for (const { header: text } of [
      challenge,
      longest.unpaid(endpoint, { body_present: false }),
      longest.refused(endpoint, refusal),
    ]) {
      expect(text.length).toBeLessThanOrEqual(4_096);
      expect(text).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(text.length % 4).toBe(0);
      expect(Buffer.from(text, 'base64').toString()).not.toMatch(/\n|": |, "/);
    }
  });

  it.each([
    ['complete', completeBazaar(endpoint), body.extensions.bazaar],
    ['compact', compactBazaar(endpoint), header.extensions.bazaar],
  ])('describes itself for discovery, %s: the example fits the schema', (_layout, { info, schema }, sent) => {
    expect(sent).toEqual(JSON.parse(JSON.stringify({ info, schema })));
    const validate = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      formats: { 'date-time': true },
    }).compile(schema);
    expect([validate(info), validate.errors]).toEqual([true, null]);
    const { input } = info as { input: { method: string; body: object } };
    expect(validate({ ...info, input: { ...input, method: 'GET' } })).toBe(false);
    expect(validate({ ...info, input: { ...input, body: { habits: 'many', tasks: 'many' } } })).toBe(false);
    expect(JSON.stringify(schema).match(/"\$ref":"(?!#\/)/)).toBeNull();
  });

  it('lists the members of the request for version 1', () => {
    const { input } = body.accepts[0]!.outputSchema as { input: { bodyFields: Record<string, object> } };
    const list = endpoint.operation === 'reliability' ? 'tasks' : 'habits';
    expect(input).toMatchObject({ type: 'http', method: 'POST', discoverable: true, bodyType: 'json' });
    expect(input.bodyFields[list]).toMatchObject({ type: 'array', required: true });
  });
});

describe('the name of the chain in the body', () => {
  const networkWith = (over: Partial<PaymentTerms>) => {
    const { accepts, network } = bodyOf(unpaid(PAID_ENDPOINTS[0]!, over));
    return [accepts[0]!.network, accepts[0]!.networkCaip2, network];
  };
  it.each<[Partial<PaymentTerms>, string[]]>([
    [{ bodyNetwork: 'short' }, ['base', 'eip155:8453', 'eip155:8453']],
    [{ bodyNetwork: 'caip2' }, ['eip155:8453', 'eip155:8453', 'eip155:8453']],
    [{ chain: CHAINS[1]! }, ['base-sepolia', 'eip155:84532', 'eip155:84532']],
  ])('%j', (over, names) => expect(networkWith(over)).toEqual(names));
});

describe('the bytes', () => {
  const unpaidReason = { error: 'payment_required', message: 'X-PAYMENT header is required', details: refusal.details };
  const issues = [{ path: '/habits', code: 'too_few_items' as const, message: 'must contain at least 1 item' }];

  it.each([
    ['no body', { body_present: false as const }],
    ['a good body', { body_present: true as const, valid: true as const }],
    ['a bad body', { body_present: true as const, valid: false as const, issues }],
  ])('for %s are those of the object', (_, preflight) => {
    for (const endpoint of PAID_ENDPOINTS) {
      const built = challengeBody(endpoint, terms, digest, unpaidReason);
      const { body, header } = challenges.unpaid(endpoint, preflight);
      expect(body.toString()).toBe(JSON.stringify({ ...built, extensions: { ...built.extensions, preflight } }));
      expect(header).toBe(
        Buffer.from(JSON.stringify(challengeHeader(endpoint, terms, 'payment_required'))).toString('base64'),
      );
    }
  });
});

// The authors' validator tells the console that it knows no `date-time`.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation());
afterAll(() => jest.restoreAllMocks());

describe.each(PAID_ENDPOINTS)('the listing of $path', (endpoint) => {
  it.each([
    ['in the body', completeBazaar(endpoint)],
    ['in the header', compactBazaar(endpoint)],
  ])('%s is what its authors meant', (_, bazaar) => {
    const listed = JSON.parse(JSON.stringify(bazaar)) as never;
    expect(validateDiscoveryExtension(listed)).toEqual({ valid: true });
  });

  it('has a name, tags and an icon that no listing drops', () => {
    const { serviceName, tags, iconUrl } = resourceOf(endpoint, terms) as {
      serviceName: string;
      tags: string[];
      iconUrl: string;
    };
    expect([isValidServiceName(serviceName), isValidIconUrl(iconUrl)]).toEqual([true, true]);
    expect(sanitizeTags(tags)).toEqual(tags);
    expect(endpoint.description.length).toBeLessThanOrEqual(500);
  });
});

it.each(PAID_ENDPOINTS)('the listing of $toolName is what its authors meant', (endpoint) => {
  const bazaar = toolBazaar(endpoint);
  expect(validateDiscoveryExtension(bazaar as never)).toMatchObject({ valid: true });
  // Clients send it back with every payment, in a header of at most 16 KB with the longest signature.
  expect(JSON.stringify(bazaar).length).toBeLessThan(3_000);
});

it('the day in the listings moves on with the offers', () => {
  // Something for sale has changed: write today into SERVICE.offersUpdatedAt, and both of them here.
  expect([SERVICE.offersUpdatedAt, offers.digest]).toEqual([
    '2026-11-23T00:00:00.000Z',
    'efa361b0dee6910aef5c5a1542568a719d7d060c41070f48d6f06f4fc8302530',
  ]);
});

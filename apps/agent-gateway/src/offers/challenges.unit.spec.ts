import { CHAINS, PAID_ENDPOINTS, SERVICE, type PaidEndpoint } from '@evenkeel/contracts';
import { Ajv2020 } from 'ajv/dist/2020';
import type { PaymentTerms } from '../config/payment-terms';
import { terms } from '../payments/payment.fixture';
import { compactBazaar, completeBazaar, type Bazaar } from './bazaar';
import { challengeBody, challengeHeader, Challenges, type Challenge } from './challenges';
import { Offers } from './offers';

const { digest } = new Offers(terms);
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

  it('agrees with itself', () => {
    const [one, two] = [body.accepts[0]!, header.accepts[0]!];
    for (const same of ['scheme', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra']) {
      expect(one[same]).toEqual(two[same]);
    }
    expect(one.networkCaip2).toBe(two.network);
    expect(one.resource).toBe((header.resource as { url: string }).url);
    for (const copied of Object.keys(flat(endpoint))) expect(body[copied]).toBe(header[copied]);
    for (const copied of ['scheme', 'amount', 'asset', 'payTo']) expect(body[copied]).toBe(one[copied]);
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

  it('shows the whole request in the body', () => {
    const { schema } = body.extensions.bazaar;
    expect(schema.properties?.input?.properties?.body).toMatchObject(
      endpoint.operation === 'plan' ? { oneOf: expect.any(Array) } : { type: 'object' },
    );
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

  it('does not change the header', () => {
    const endpoint = PAID_ENDPOINTS[0]!;
    expect(unpaid(endpoint, { bodyNetwork: 'caip2' }).header).toBe(unpaid(endpoint).header);
  });
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

  it('for a probe say how to pay, and that nothing is charged', () => {
    for (const endpoint of PAID_ENDPOINTS) {
      const probe = challenges.probed(endpoint);
      const { message, extensions, ...offer } = bodyOf(probe);
      expect(message).toMatch(/^Pay with POST\b.*ignored and not charged/);
      expect(extensions).not.toHaveProperty('preflight');
      expect(offer).toMatchObject({ x402Version: 1, error: 'payment_required', accepts: [expect.anything()] });
      expect(probe.header).toBe(challenges.unpaid(endpoint, { body_present: false }).header);
    }
  });

  it('for a refusal carry its code and a fresh offer', () => {
    for (const endpoint of PAID_ENDPOINTS) {
      const challenge = challenges.refused(endpoint, refusal);
      expect(challenge.body.toString()).toBe(JSON.stringify(challengeBody(endpoint, terms, digest, refusal)));
      expect(bodyOf(challenge)).toMatchObject({
        ...refusal,
        x402Version: 1,
        accepts: bodyOf(unpaid(endpoint)).accepts,
      });
      expect(headerOf(challenge)).toMatchObject({
        error: 'amount_mismatch',
        accepts: headerOf(unpaid(endpoint)).accepts,
      });
    }
  });
});

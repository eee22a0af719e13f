import { createHash } from 'node:crypto';
import { PAID_ENDPOINTS, SERVICE } from '@evenkeel/contracts';
import canonicalize from 'canonicalize';
import { terms } from '../payments/payment.fixture';
import { offerDigest, Offers } from './offers';

const offers = new Offers(terms);

describe('the digest of what is for sale', () => {
  it('is SHA-256 over the canonical JSON, in hex', () => {
    const reference = createHash('sha256').update(canonicalize(offers.all)!).digest('hex');
    expect(offers.digest).toBe(reference);
    expect(offers.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('covers every endpoint with price, receiver and both schemas', () => {
    expect(offers.all).toEqual(
      PAID_ENDPOINTS.map(({ path, priceMicros }) => ({
        path,
        method: 'POST',
        price_atomic: String(priceMicros),
        asset: terms.asset,
        network: 'eip155:8453',
        pay_to: terms.payTo,
        input_schema: expect.objectContaining({ $defs: expect.anything() }),
        output_schema: expect.objectContaining({ $defs: expect.anything() }),
      })),
    );
  });

  it('does not depend on the order of members or on the base address', () => {
    const reversed = offers.all.map((offer) => Object.fromEntries(Object.entries(offer).toReversed()));
    expect(offerDigest(reversed as never)).toBe(offers.digest);
    expect(new Offers({ ...terms, baseUrl: 'https://other.example' }).digest).toBe(offers.digest);
  });

  it.each([
    ['the receiver', { payTo: terms.asset }],
    ['the token', { asset: terms.payTo }],
    ['the chain', { chain: { ...terms.chain, caip2: 'eip155:84532' } }],
  ])('changes with %s', (_, over) => {
    expect(new Offers({ ...terms, ...over }).digest).not.toBe(offers.digest);
  });

  it.each(['price_atomic', 'path', 'input_schema', 'output_schema'] as const)('changes with %s', (member) => {
    const [first, ...others] = offers.all;
    const changed = { ...first!, [member]: `${JSON.stringify(first![member])} ` } as never;
    expect(offerDigest([changed, ...others])).not.toBe(offers.digest);
  });
});

it('the day in the listings moves on with the offers', () => {
  // Something for sale has changed: write today into SERVICE.offersUpdatedAt, and both of them here.
  expect([SERVICE.offersUpdatedAt, offers.digest]).toEqual([
    '2026-11-23T00:00:00.000Z',
    'efa361b0dee6910aef5c5a1542568a719d7d060c41070f48d6f06f4fc8302530',
  ]);
});

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Offer } from '@evenkeel/contracts';
import canonicalize from 'canonicalize';
import { at, listAt, SOURCES, statementsOf, type Facts, type Statement } from './documents';
import { capabilitySchema, maxItemsIn, plainSchema } from './plain-schema';
import { Unreadable, type Website } from './website';

export interface Difference extends Statement {
  expected: unknown;
}

export interface Comparison {
  /** As computed from the offers in the listing. */
  digest: string;
  statements: number;
  documents: number;
  differences: Difference[];
}

/**
 * Reads everything that a running service says about what it sells, and holds it against the offers of its listing.
 * @param publicUrl the base that its documents should speak of
 * @throws Unreadable when a document is missing or is not what it should be
 */
export async function compareOffers(site: Website, publicUrl: string): Promise<Comparison> {
  const offers = listAt(await site.json('/.well-known/x402.json'), 'offers') as Offer[];
  const timeouts = listAt(await site.json('/agent/v1/pricing'), 'endpoints');
  if (offers.length === 0) throw new Unreadable('/.well-known/x402.json has no offers');
  const digest = createHash('sha256').update(canonicalize(offers)!).digest('hex');
  const expected = new Map(offers.map((offer) => [offer.path, factsOf(offer, publicUrl)]));
  for (const endpoint of timeouts) {
    Object.assign(expected.get(String(at(endpoint, 'endpoint'))) ?? {}, { timeout_ms: at(endpoint, 'timeout_ms') });
  }
  const found: Statement[] = [];
  // One after the other: a service that is asked by many must not be shaken by this.
  for (const source of SOURCES) found.push(...(await statementsOf(source, site)));
  const differences = found
    .map((said) => ({ ...said, expected: said.fact === 'digest' ? digest : expected.get(said.about)?.[said.fact] }))
    .filter(({ value, expected: right }) => value === undefined || !isDeepStrictEqual(value, right));
  return { digest, statements: found.length, documents: SOURCES.length, differences };
}

function factsOf(offer: Offer, publicUrl: string): Facts {
  const { path, method, price_atomic, asset, network, pay_to, input_schema, output_schema } = offer;
  return {
    method,
    url: publicUrl + path,
    price_atomic,
    asset,
    network,
    pay_to,
    max_items: maxItemsIn(input_schema),
    input_schema: plainSchema(input_schema),
    capability_schema: capabilitySchema(input_schema),
    output_schema: plainSchema(output_schema),
  };
}

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Offer, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { MICROS_PER_USD } from '@evenkeel/kernel';
import canonicalize from 'canonicalize';
import { at, type Fact, type Fetch, listAt, plainSchema, readDocument, SOURCES, Unreadable } from './documents';

/** One thing that one document says of one offer. */
interface Statement {
  /** The document, and the place in it. */
  where: string;
  /** Path of the endpoint; undefined for what is said of all offers together. */
  about: string | undefined;
  fact: Fact;
  value: unknown;
}

interface Difference extends Statement {
  expected: unknown;
}

export interface Comparison {
  /** As computed from the offers in the listing. */
  digest: string;
  statements: number;
  documents: number;
  differences: Difference[];
}

/** Dollars as documents write them, in atomic units; what has no point is in these already. */
const dollars = (usd: unknown) => String(Math.round(Number(usd) * MICROS_PER_USD));
const same = (value: unknown) => value;
const capitals = (value: unknown) => (/^[A-Z]+$/.test(String(value)) ? value : undefined);
const endpoint = (value: unknown) => (/^https?:.*\/agent\/v1\//.test(String(value)) ? value : undefined);

/** Names of members, with the fact that they state wherever they stand; what is read as undefined states nothing. */
const MEMBERS: Readonly<Record<string, [fact: Fact, read: (value: unknown) => unknown]>> = {
  price_atomic: ['price_atomic', same],
  amount_atomic: ['price_atomic', same],
  amount: ['price_atomic', same],
  maxAmountRequired: ['price_atomic', same],
  price_usd: ['price_atomic', dollars],
  amount_usd: ['price_atomic', dollars],
  amount_usd_exact: ['price_atomic', dollars],
  usd_exact: ['price_atomic', dollars],
  'agents-x402/priceUSD': ['price_atomic', dollars],
  asset: ['asset', same],
  network: ['network', same],
  networkCaip2: ['network', same],
  payTo: ['pay_to', same],
  pay_to: ['pay_to', same],
  method: ['method', capitals],
  url: ['url', endpoint],
  resource: ['url', endpoint],
  endpoint: ['url', endpoint],
  max_items: ['max_items', same],
  inputSchema: ['max_items', maxItemsIn],
  timeout_ms: ['timeout_ms', same],
  input_schema: ['input_schema', plainSchema],
  output_schema: ['output_schema', plainSchema],
  offer_digest: ['digest', same],
  'x-offer-digest': ['digest', same],
  'evenkeel/offer-digest': ['digest', same],
};
/** The same for all offers, so that a document may say it once. */
const COMMON: readonly Fact[] = ['digest', 'asset', 'network', 'pay_to', 'max_items', 'timeout_ms'];

/**
 * Reads everything that a running service says about what it sells, and compares it with the offers of its listing.
 * @param publicUrl the base that its documents should speak of
 * @throws Unreadable when a document is missing or is not what it should be
 */
export async function compareOffers(baseUrl: string, publicUrl: string, request: Fetch): Promise<Comparison> {
  const documents = new Map<string, unknown>();
  // One after the other: a service that is asked by many must not be shaken by this.
  for (const source of SOURCES) documents.set(source.where, await readDocument(source, baseUrl, request));
  const offers = listAt(documents.get('/.well-known/x402.json'), 'offers') as Offer[];
  if (offers.length === 0) throw new Unreadable('/.well-known/x402.json has no offers');
  const digest = createHash('sha256').update(canonicalize(offers)!).digest('hex');
  const prices = listAt(documents.get('/agent/v1/pricing'), 'endpoints');
  const expected = new Map(
    offers.map(({ input_schema, output_schema, ...offer }) => {
      const input = plainSchema(input_schema);
      const facts: Partial<Record<Fact, unknown[]>> = {
        ...Object.fromEntries(Object.entries(offer).map(([fact, value]) => [fact, [value]])),
        digest: [digest],
        url: [publicUrl + offer.path],
        max_items: [maxItemsIn(input_schema)],
        timeout_ms: [
          at(
            prices.find((one) => at(one, 'endpoint') === offer.path),
            'timeout_ms',
          ),
        ],
        // The manifest shows the last of two forms of a request, without `metadata`.
        input_schema: [input, withoutMetadata(listAt(input, 'oneOf').at(-1) ?? input)],
        output_schema: [plainSchema(output_schema)],
      };
      return [offer.path, facts] as const;
    }),
  );
  const found = SOURCES.flatMap(({ where, says, only }) => {
    const said = [...statementsIn(documents.get(where), where, only?.path)];
    const missing = (only ? [only] : PAID_ENDPOINTS).flatMap(({ path }) =>
      says
        .filter((fact) => !said.some((one) => one.fact === fact && [path, undefined].includes(one.about)))
        .map((fact): Statement => ({ where: `${where}, ${path}`, about: path, fact, value: undefined })),
    );
    return [...said, ...missing];
  });
  const differences = found.flatMap((said) => {
    const rights = expected.get(said.about ?? offers[0]!.path)?.[said.fact] ?? [];
    const isRight = said.value !== undefined && rights.some((right) => isDeepStrictEqual(said.value, right));
    return isRight ? [] : [{ ...said, expected: rights[0] }];
  });
  return { digest, statements: found.length, documents: SOURCES.length, differences };
}

/** @param about the endpoint of which this part of the document speaks, where that is known */
function* statementsIn(node: unknown, where: string, about?: string): Generator<Statement> {
  if (typeof node !== 'object' || node === null) return;
  const subject = about ?? onlyEndpointIn(node);
  for (const [name, value] of Object.entries(node)) {
    const inside = `${where}/${name}`;
    const [fact, read] = MEMBERS[name] ?? [];
    const isRead = typeof value !== 'object' || /schema$/i.test(name);
    // Version 1 has the name that we compare beside its short one.
    const isShort = name === 'network' && 'networkCaip2' in node;
    const stated = isRead && !isShort ? read?.(value) : undefined;
    if (stated === undefined) yield* statementsIn(value, inside, subject);
    else if (subject !== undefined || COMMON.includes(fact!))
      yield { where: inside, about: subject, fact: fact!, value: stated };
  }
}

/** The endpoint that a part of a document names, by its path or its tool, when it names no other. */
function onlyEndpointIn(part: object): string | undefined {
  const text = JSON.stringify(part);
  const named = PAID_ENDPOINTS.filter(
    ({ path, toolName }) => text.includes(`${path}"`) || text.includes(`"${toolName}"`),
  );
  return named.length === 1 ? named[0]!.path : undefined;
}

/** How many items a request may have, as its schema says it. */
function maxItemsIn(schema: unknown): unknown {
  const plain = plainSchema(schema);
  const properties: unknown[] = Object.values(at(plain, 'oneOf 0 properties') ?? at(plain, 'properties') ?? {});
  return at(
    properties.find((property) => at(property, 'type') === 'array'),
    'maxItems',
  );
}

function withoutMetadata(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutMetadata);
  if (!isJsonObject(node)) return node;
  const others = Object.entries(node).filter(([name]) => name !== 'metadata');
  return Object.fromEntries(others.map(([name, member]) => [name, withoutMetadata(member)]));
}

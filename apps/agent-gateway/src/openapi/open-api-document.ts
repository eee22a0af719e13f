import { isDeepStrictEqual } from 'node:util';
import {
  LIMITED_IN_WORDS,
  MAX_ITEMS,
  openApiParts,
  PAID_ENDPOINTS,
  SERVICE,
  type OpenApiDocument,
  type OpenApiOperation,
  type PaidEndpoint,
} from '@evenkeel/contracts';
import type { PaymentTerms } from '../config/payment-terms';
import { TAGS } from '../documentation/answers';
import { capabilityManifest, describeService, type ManifestSettings, x402Listing } from '../offers/listings';
import { decimalPrice } from '../offers/offers';
import { withExamples, type NamedExamples, type OperationExamples } from './for-readers';
import { offers, WAS_I_CHARGED } from './shared-answers';

/** How the routes that are not for everybody know their callers. A payment is not among them: it opens no `/v1` route. */
const SCHEMES: Readonly<Record<string, object>> = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of POST /v1/auth/login.',
  },
  adminToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Token',
    description: 'Token of the operator.',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description: 'HMAC-SHA256 of the payment provider over timestamp and raw body.',
  },
};

/** Rules of every operation that no keyword of JSON Schema can state. */
const BESIDE_SCHEMAS =
  `A schema with \`${Object.keys(LIMITED_IN_WORDS)[0]}\` is limited further by its description: a value that fits the schema may be ` +
  'refused with 400. In every body a text with NUL or half of a surrogate pair is refused with 400, and so is a member named ' +
  '`__proto__`, `constructor` or `hasOwnProperty`.';

interface OpenApiSettings extends TermSettings {
  contactEmail?: string | undefined;
}

/** `/openapi.json`: all surfaces of the product, ours with the terms of this service. */
export function openApiDocument(settings: OpenApiSettings): OpenApiDocument {
  const { terms, offerDigest, contactEmail } = settings;
  const { 'agent-gateway': ours, ...others } = Object.fromEntries(openApiParts());
  const { tags, paths, components } = mergeParts([withTerms(ours!, settings), ...Object.values(others)]);
  return {
    openapi: '3.1.0',
    info: {
      ...serviceInfo(terms.baseUrl, contactEmail),
      description: `${SERVICE.description}\n\n${BESIDE_SCHEMAS}`,
      'x-guidance': guidance(terms),
      'x-offer-digest': offerDigest,
    },
    'x-service-info': {
      categories: SERVICE.tags,
      docs: {
        homepage: terms.baseUrl,
        apiReference: `${terms.baseUrl}/docs`,
        llms: `${terms.baseUrl}/llms.txt`,
      },
    },
    'x-agentcash-guidance': { llmsTxtUrl: `${terms.baseUrl}/llms.txt` },
    servers: [{ url: terms.baseUrl }],
    tags: tags!,
    paths,
    components: { ...components, securitySchemes: securitySchemes(paths) },
  };
}

export function serviceInfo(baseUrl: string, email?: string): OpenApiDocument['info'] {
  return {
    title: SERVICE.name,
    version: SERVICE.version,
    description: SERVICE.description,
    contact: { name: SERVICE.name, url: baseUrl, ...(email !== undefined && { email }) },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  };
}

/** `info.x-guidance`: how an agent uses this service, at most 4000 characters. */
function guidance({ assetName, chain }: PaymentTerms): string {
  const prices = PAID_ENDPOINTS.map(
    (endpoint) => `- POST ${endpoint.path} (${decimalPrice(endpoint)} USD): ${endpoint.headerDescription}`,
  );
  return [
    'Scores habits and recurring tasks from summaries that you send. Deterministic: no model, no stored history, no account, no API key.',
    ...prices,
    `Send 1 to ${MAX_ITEMS} items per request; the price is per request. Without a payment the answer is 402 with the offer, and ` +
      'extensions.preflight says for free whether the body is valid, with the path of every mistake. Correct it first, then pay.',
    `Pay over x402 (scheme exact, ${assetName} on ${chain.caip2}): sign the offer and repeat the identical request with the payment in ` +
      'X-PAYMENT or PAYMENT-SIGNATURE. Version 1 and 2 clients both work. Use POST: GET always answers 402 and takes no payment.',
    'Read details.retry in every refusal: fix_request, retry_same (the identical request with the same payment, never charged twice), ' +
      'pay_again (sign a new payment) or do_not_retry. GET /agent/v1/payments/{nonce} says for free whether a payment was charged.',
    'GET /agent/v1/pricing has prices and rebate; GET /agent/v1/vectors lets you compute any answer again. The operations under /v1 are ' +
      'the application for people: a payment does not open them.',
  ].join('\n');
}

/** The schemes that some operation names. @throws Error for a name that is not known: its operations would look open */
function securitySchemes(paths: OpenApiDocument['paths']): Record<string, object> {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const named = new Set(operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))));
  return Object.fromEntries(
    [...named].map((name) => {
      const scheme = SCHEMES[name];
      if (!scheme) throw new Error(`no security scheme is called ${name}`);
      return [name, scheme];
    }),
  );
}

interface TermSettings extends ManifestSettings {
  /** The price list without a wallet. */
  prices: object;
}

/** Our part with the terms of one service: its address, and in place of other examples those that show its prices. */
export function withTerms(part: OpenApiDocument, settings: TermSettings): OpenApiDocument {
  const { components } = part;
  return {
    ...withExamples(part, examplesOf(settings)),
    servers: [{ url: settings.terms.baseUrl }],
    components: {
      ...components,
      responses: { ...components!.responses, ...offers(settings) },
    },
  };
}

function examplesOf({ prices, ...settings }: TermSettings): Record<string, OperationExamples> {
  const { terms, offerDigest } = settings;
  const manifest = { ...capabilityManifest(settings), capabilities: [] };
  const listing = { ...x402Listing(terms, [], offerDigest), items: [] };
  return {
    listPrices: answered({ withoutWallet: { value: { ...prices, wallet: null } } }),
    describeService: answered({ published: { value: describeService(terms) } }),
    listCapabilities: answered({ published: { value: manifest } }),
    listWellKnownCapabilities: answered({ published: { value: manifest } }),
    listResources: answered({ excerpt: { value: listing } }),
  };
}

function answered(examples: NamedExamples): OperationExamples {
  return { answers: { 200: examples } };
}

/** The same document, where a paid path has GET too, and what it sells leads to what became of the payment. */
export function withProbes(part: OpenApiDocument): OpenApiDocument {
  const paths = { ...part.paths };
  for (const endpoint of PAID_ENDPOINTS) {
    const post = paths[endpoint.path]!.post!;
    paths[endpoint.path] = { post: withStatusLink(post), get: probe(endpoint, post) };
  }
  return { ...part, paths };
}

function withStatusLink({ responses, ...operation }: OpenApiOperation): OpenApiOperation {
  return { ...operation, responses: { ...responses, 200: { ...responses['200']!, links: WAS_I_CHARGED } } };
}

function probe({ title }: PaidEndpoint, { operationId }: OpenApiOperation): OpenApiOperation {
  return {
    operationId: `${operationId}Offer`,
    summary: `What it costs: ${title}`,
    description: 'Free. GET and HEAD answer 402 with the offer, always: there is no other answer. Pay with POST.',
    tags: [TAGS.free],
    security: [],
    responses: { 402: { $ref: '#/components/responses/ProbedOffer' } },
  };
}

/**
 * One document from the parts of all apps: the first part's paths come first. Parts may share a component when they mean the
 * same by it.
 * @throws Error when two parts claim one path, or give different things one name
 */
export function mergeParts(parts: readonly OpenApiDocument[]): Pick<OpenApiDocument, 'tags' | 'paths' | 'components'> {
  const tags = parts.flatMap((part) => part.tags ?? []);
  const components: Record<string, Record<string, object>> = {};
  for (const part of parts) {
    for (const [kind, named] of Object.entries({ ...part.components }))
      components[kind] = united(kind, components[kind] ?? {}, named);
  }
  return {
    tags: tags.filter(({ name }, index) => tags.findIndex((other) => other.name === name) === index),
    paths: parts.map(({ paths }) => paths).reduce((union, paths) => united('path', union, paths), {}),
    components,
  };
}

function united<Value>(
  kind: string,
  known: Record<string, Value>,
  others: Record<string, Value>,
): Record<string, Value> {
  for (const name of Object.keys(others)) {
    if (name in known && !isDeepStrictEqual(known[name], others[name]))
      throw new Error(`two parts of the OpenAPI document disagree about ${kind} ${name}`);
  }
  return { ...known, ...others };
}

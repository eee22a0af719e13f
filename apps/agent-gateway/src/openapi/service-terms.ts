import { type OpenApiDocument, PAID_ENDPOINTS, type OpenApiOperation, type PaidEndpoint } from '@evenkeel/contracts';
import { withExamples, type NamedExamples, type OperationExamples } from '@evenkeel/platform/openapi';
import { capabilityManifest, describeService, type ManifestSettings, x402Listing } from '../offers/listings';
import { TAGS } from '../documentation/answers';
import { offers, WAS_I_CHARGED } from './shared-answers';

export interface TermSettings extends ManifestSettings {
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

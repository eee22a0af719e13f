import { PAID_ENDPOINTS, type OpenApiDocument, type OpenApiOperation, type PaidEndpoint } from '@evenkeel/contracts';
import { TAGS } from '../documentation/answers';
import { WAS_I_CHARGED } from './shared-answers';

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

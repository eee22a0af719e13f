import {
  CapabilityManifest,
  HealthStatus,
  SERVICE,
  ServiceDescriptor,
  type Class,
  type JsonSchema,
  type OpenApiContent,
  type OpenApiOperation,
  type OpenApiPath,
} from '@evenkeel/contracts';
import { capabilityManifest, describeService, type ManifestSettings } from '../offers/capability-manifest';
import { x402Listing } from '../offers/x402-listing';
import { headers, json, LIMIT_HEADERS, shared } from './answers';

export const DOCUMENTS_TAG = 'Documents';

/** What machines read before they ask for anything. */
export function documentPaths(settings: ManifestSettings): Record<string, OpenApiPath> {
  const { terms, offerDigest } = settings;
  const manifest = { ...capabilityManifest(settings), capabilities: [] };
  const listing = x402Listing(terms, [], offerDigest);
  return {
    '/': document('describeService', 'What is for sale here', of(ServiceDescriptor, describeService(terms))),
    '/health': { get: HEALTH },
    '/v1/capabilities': document('listCapabilities', 'Capability manifest', of(CapabilityManifest, manifest)),
    '/.well-known/capabilities': document(
      'listWellKnownCapabilities',
      'Capability manifest, the same bytes',
      of(CapabilityManifest, manifest),
    ),
    '/llms.txt': document('readGuide', 'Everything needed to buy a call, in one page', {
      'text/plain': { schema: { type: 'string' }, examples: { beginning: { value: `# ${SERVICE.name}\n` } } },
    }),
    '/openapi.json': document('readOpenApi', 'This document', {
      'application/json': {
        schema: objectOf({ openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } }),
        examples: { beginning: { value: { openapi: '3.1.0', info: {}, paths: {} } } },
      },
    }),
    '/.well-known/x402.json': document('listResources', 'All offers, as x402 listings read them', {
      'application/json': { schema: LISTING, examples: { excerpt: { value: { ...listing, items: [] } } } },
    }),
    '/.well-known/receipt-jwks.json': document('listReceiptKeys', 'Public keys of signed receipts', {
      'application/json': {
        schema: objectOf({ keys: { type: 'array', items: { type: 'object' } } }),
        examples: { beginning: { value: { keys: [] } } },
      },
    }),
  };
}

function document(operationId: string, summary: string, content: OpenApiContent): OpenApiPath {
  const operation: OpenApiOperation = {
    operationId,
    summary,
    description: 'Free, the same for everybody until the next change, kept by caches for five minutes.',
    tags: [DOCUMENTS_TAG],
    security: [],
    responses: {
      200: { description: 'The document', headers: headers({ ETag: 'ETag', ...LIMIT_HEADERS }), content },
      304: shared('NotModified'),
      429: shared('RateLimited'),
    },
  };
  return { get: operation };
}

const HEALTH: OpenApiOperation = {
  operationId: 'checkHealth',
  summary: 'Does the process answer?',
  description: 'Liveness: 200 while the process can answer. Nothing behind it is asked.',
  tags: [DOCUMENTS_TAG],
  security: [],
  responses: {
    200: {
      description: 'It does',
      headers: headers(LIMIT_HEADERS),
      ...json(HealthStatus, {
        alive: {
          value: {
            status: 'ok',
            service: SERVICE.id,
            version: SERVICE.version,
            time: '2026-01-31T12:00:00.000Z',
            uptime_seconds: 86_400,
          },
        },
      }),
    },
    429: shared('RateLimited'),
  },
};

const LISTING = objectOf({
  x402Version: { type: 'integer' },
  lastUpdated: { type: 'string', format: 'date-time' },
  items: { type: 'array', items: { type: 'object' } },
  offer_digest: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the canonical JSON of offers' },
  offers: { type: 'array', items: { type: 'object' } },
});

function of(type: Class, value: object): OpenApiContent {
  return json(type, { published: { value } }).content!;
}

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties };
}

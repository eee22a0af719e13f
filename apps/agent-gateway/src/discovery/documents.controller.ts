import { randomBytes } from 'node:crypto';
import {
  CapabilityManifest,
  componentOf,
  ERROR_CODES,
  ERRORS_PATH,
  HealthStatus,
  PROBLEMS_PATH,
  SERVICE,
  ServiceDescriptor,
  type JsonSchema,
  type OpenApiContent,
} from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import { NotFound } from '@evenkeel/platform/http';
import { applyDecorators, Controller, Get, Param, Res, UseGuards, type Type } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Answer, CACHE_HEADERS, SharedAnswers, TAGS, DocumentOperation, objectOf } from '../documentation/answers';
import { Documents, FILE_PATHS, type DocumentPath } from './documents';
import { contentSecurityPolicy, referencePage } from './reference';

const text = { type: 'string' };
const list = { type: 'array', items: { type: 'object' } };
const LISTING = objectOf({
  x402Version: { type: 'integer' },
  lastUpdated: { type: 'string', format: 'date-time' },
  items: list,
  offer_digest: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the canonical JSON of offers' },
  offers: list,
});
const VECTOR = objectOf({ name: text, input: { type: 'object' }, output: { type: 'object' } });
const VECTORS = objectOf({
  engine_version: text,
  comparison: { type: 'string', description: 'How to compare' },
  functions: {
    type: 'array',
    items: objectOf({
      function: text,
      endpoint: { type: ['string', 'null'], description: 'The path that sells its answers, if one does' },
      vectors: { type: 'array', items: VECTOR },
    }),
  },
});
const MANIFEST = jsonOf(componentOf(CapabilityManifest));
const GUIDE = { 'text/plain': { schema: text, examples: { beginning: { value: `# ${SERVICE.name}\n` } } } };

const Vectors = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listVectors',
      summary: 'Golden vectors of the scoring engine',
      description:
        'Free. Inputs and exact outputs of the engine version that answers: whoever doubts a result computes it again.',
      tags: [TAGS.free],
      security: [],
    }),
    Answer({
      status: 200,
      description: 'Inputs and outputs, by function',
      headers: CACHE_HEADERS,
      content: jsonOf(VECTORS),
    }),
    SharedAnswers({ 304: 'NotModified', 429: 'AgentRateLimited' }),
  );

/** The documents that machines find us by, and files at fixed addresses, which are no operations of an API: free. */
export const DOCUMENT_CONTROLLERS: Type[] = [
  documentAt(
    '/',
    DocumentOperation('describeService', 'What is for sale here', jsonOf(componentOf(ServiceDescriptor))),
  ),
  documentAt('/v1/capabilities', DocumentOperation('listCapabilities', 'Capability manifest', MANIFEST)),
  documentAt(
    '/.well-known/capabilities',
    DocumentOperation('listWellKnownCapabilities', 'Capability manifest, the same bytes', MANIFEST),
  ),
  documentAt('/llms.txt', DocumentOperation('readGuide', 'Everything needed to buy a call, in one page', GUIDE)),
  documentAt(
    '/openapi.json',
    DocumentOperation(
      'readOpenApi',
      'This document',
      jsonOf(objectOf({ openapi: text, info: { type: 'object' }, paths: { type: 'object' } }), {
        openapi: '3.1.0',
        info: {},
        paths: {},
      }),
    ),
  ),
  documentAt(
    '/.well-known/x402.json',
    DocumentOperation('listResources', 'All offers, as x402 listings read them', jsonOf(LISTING)),
  ),
  documentAt(
    '/.well-known/receipt-jwks.json',
    DocumentOperation(
      'listReceiptKeys',
      'Public keys of signed receipts',
      jsonOf(objectOf({ keys: list }), { keys: [] }),
    ),
  ),
  documentAt('/agent/v1/vectors', Vectors()),
  ...FILE_PATHS.map((path) => documentAt(path, ApiExcludeEndpoint())),
];

/** @param described decorators of the operation */
function documentAt(path: DocumentPath, described: MethodDecorator): Type {
  @Controller()
  @UseGuards(RateLimitGuard)
  @LimitedBy('discovery')
  class DocumentController {
    constructor(private readonly documents: Documents) {}

    /** 200, or 304 for a caller that has it. */
    @Get(path)
    @described
    read(@Res() reply: FastifyReply): void {
      this.documents.at(path).send(reply);
    }
  }
  return DocumentController;
}

/** @param beginning an example, where other parts of the document do not have one */
function jsonOf(schema: JsonSchema, beginning?: object): OpenApiContent {
  return { 'application/json': { schema, ...(beginning && { examples: { beginning: { value: beginning } } }) } };
}

const ALIVE = {
  status: 'ok',
  service: SERVICE.id,
  version: SERVICE.version,
  time: '2026-01-31T12:00:00.000Z',
  uptime_seconds: 86_400,
};

/** Whether the process answers, and the reference for people, whose requests never leave this address. */
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class PagesController {
  private readonly startedAt: number;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.now().getTime();
  }

  /** Process liveness: 200 while the process can answer, no dependency is touched. */
  @Get('/health')
  @ApiOperation({
    operationId: 'checkHealth',
    summary: 'Does the process answer?',
    description: 'Liveness: 200 while the process can answer. Nothing behind it is asked.',
    tags: [TAGS.documents],
    security: [],
  })
  @Answer({ status: 200, type: HealthStatus, description: 'It does', examples: { alive: { value: ALIVE } } })
  @SharedAnswers({ 429: 'RateLimited' })
  health(): HealthStatus {
    const now = this.clock.now();
    const uptime_seconds = Math.floor((now.getTime() - this.startedAt) / 1_000);
    return { ...ALIVE, status: 'ok', time: now.toISOString(), uptime_seconds };
  }

  /** 200; the nonce is new every time, so no cache stores it. */
  @Get('docs')
  @ApiExcludeEndpoint()
  reference(@Res() reply: FastifyReply): void {
    const nonce = randomBytes(18).toString('base64');
    void reply
      .headers({ 'content-security-policy': contentSecurityPolicy(nonce) })
      .type('text/html; charset=utf-8')
      .send(referencePage(nonce));
  }

  /** Leads from the `type` of a problem document to what its code means. */
  @Get(`${PROBLEMS_PATH}/:code`)
  @ApiExcludeEndpoint()
  problem(@Param('code') code: string, @Res() reply: FastifyReply): void {
    if (!Object.hasOwn(ERROR_CODES, code)) throw new NotFound();
    void reply.redirect(`${ERRORS_PATH}#${code}`, 302);
  }
}

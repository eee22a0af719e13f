import {
  CapabilityManifest,
  componentOf,
  HealthStatus,
  SERVICE,
  ServiceDescriptor,
  type Class,
  type OpenApiContent,
} from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answer, CACHE_HEADERS, SharedAnswers, TAGS, DocumentOperation, objectOf } from '../documentation/answers';
import { Documents, FILE_PATHS, type DocumentPath } from './documents';

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
const ALIVE = {
  status: 'ok',
  service: SERVICE.id,
  version: SERVICE.version,
  time: '2026-01-31T12:00:00.000Z',
  uptime_seconds: 86_400,
};

/** The documents that machines find us by, and whether the process answers: free, without authentication. */
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DocumentsController {
  private readonly startedAt: number;

  constructor(
    private readonly documents: Documents,
    private readonly clock: Clock,
  ) {
    this.startedAt = clock.now().getTime();
  }

  @Get('/')
  @DocumentOperation('describeService', 'What is for sale here', of(ServiceDescriptor))
  describeService(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
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
    return {
      status: 'ok',
      service: SERVICE.id,
      version: SERVICE.version,
      time: now.toISOString(),
      uptime_seconds: Math.floor((now.getTime() - this.startedAt) / 1_000),
    };
  }

  @Get('/v1/capabilities')
  @DocumentOperation('listCapabilities', 'Capability manifest', of(CapabilityManifest))
  listCapabilities(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }

  @Get('/.well-known/capabilities')
  @DocumentOperation('listWellKnownCapabilities', 'Capability manifest, the same bytes', of(CapabilityManifest))
  listWellKnownCapabilities(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }

  @Get('/llms.txt')
  @DocumentOperation('readGuide', 'Everything needed to buy a call, in one page', {
    'text/plain': { schema: text, examples: { beginning: { value: `# ${SERVICE.name}\n` } } },
  })
  readGuide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }

  @Get('/openapi.json')
  @DocumentOperation('readOpenApi', 'This document', {
    'application/json': {
      schema: objectOf({ openapi: text, info: { type: 'object' }, paths: { type: 'object' } }),
      examples: { beginning: { value: { openapi: '3.1.0', info: {}, paths: {} } } },
    },
  })
  readOpenApi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }

  @Get('/.well-known/x402.json')
  @DocumentOperation('listResources', 'All offers, as x402 listings read them', {
    'application/json': { schema: LISTING },
  })
  listResources(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }

  @Get('/agent/v1/vectors')
  @ApiOperation({
    operationId: 'listVectors',
    summary: 'Golden vectors of the scoring engine',
    description:
      'Free. Inputs and exact outputs of the engine version that answers: whoever doubts a result computes it again.',
    tags: [TAGS.free],
    security: [],
  })
  @Answer({
    status: 200,
    description: 'Inputs and outputs, by function',
    headers: CACHE_HEADERS,
    content: { 'application/json': { schema: VECTORS } },
  })
  @SharedAnswers({ 304: 'NotModified', 429: 'AgentRateLimited' })
  listVectors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }
}

/** Files at fixed addresses: no operations of an API. */
@ApiExcludeController()
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class FilesController {
  constructor(private readonly documents: Documents) {}

  @Get([...FILE_PATHS])
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendDocument(this.documents, request, reply);
  }
}

/** 200, or 304 for a caller that has it. */
function sendDocument(documents: Documents, request: FastifyRequest, reply: FastifyReply): void {
  documents.at(request.routeOptions.url as DocumentPath).send(reply);
}

function of(type: Class): OpenApiContent {
  return { 'application/json': { schema: componentOf(type) } };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  OpenApiDocument,
  OpenApiExample,
  OpenApiOperation,
  OpenApiPath,
  OpenApiResponse,
  ProvokingRequest,
} from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { errorAnswer, RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from '../app.module';
import { AdminNotConfigured, InvalidAdminToken } from '../operator-access/operator-only';
import { ReportingConfig } from '../reporting.config';
import { badQuery } from '@evenkeel/platform/lists';

/** Answers of a small ledger, by operation; a test compares them with the code. */
export const ANSWERS_FILE = join(__dirname, 'recorded-answers.json');

const PAGE: OpenApiOperation = {
  operationId: 'openDashboard',
  summary: "The operator's page",
  description: 'One self-contained document that holds no secret; it asks for the admin token in the browser.',
  tags: ['Revenue'],
  security: [],
  responses: {
    200: {
      description: 'The page',
      content: {
        'text/html': { schema: { type: 'string' }, examples: { beginning: { value: '<!doctype html>' } } },
      },
    },
    429: {
      description: '`rate_limited`: too many requests from this address',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/OperatorRefusalView' },
          examples: {
            recorded: refusal(new RateLimited({ scope: 'address', limit: 600, window_seconds: 60 })),
          },
        },
      },
    },
  },
};

/** The routes of reporting in OpenAPI, read from its controllers; none of them is started. */
export async function reportingPart(): Promise<OpenApiDocument> {
  const config = loadConfig(ReportingConfig, { DATABASE_URL: 'postgres://nobody@localhost/nothing' });
  const module = AppModule.forRoot(config);
  const app = await NestFactory.create(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const { paths, components } = SwaggerModule.createDocument(app, new DocumentBuilder().build()) as OpenApiDocument;
  const answers = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')) as Record<string, unknown>;
  const { '/dashboard': _page, ...figures } = paths;
  const described = Object.entries(figures).map(([path, one]) => [path, withExamples(path, one, answers)] as const);
  return standard({
    openapi: '3.1.0',
    info: { title: 'Reporting', version: '1.0.0' },
    tags: [{ name: 'Revenue', description: 'For operators: money, by time, endpoint and wallet.' }],
    paths: { ...Object.fromEntries(described), '/dashboard': { get: PAGE } },
    components: { schemas: components!.schemas! },
  }) as OpenApiDocument;
}

function withExamples(path: string, { get }: OpenApiPath, answers: Record<string, unknown>): OpenApiPath {
  const { responses, ...operation } = get!;
  const refusals = refusalExamples(path, get!);
  const described = Object.entries(responses as Record<string, OpenApiResponse>).map(([status, response]) => {
    const [produced, media] = Object.entries(response.content!)[0]!;
    // The decorator of an export gives its type to refusals too.
    const type = status === '200' ? produced : 'application/json';
    const recorded = refusals[status] ?? { value: answers[get!.operationId] };
    const description = response.description || 'The figures';
    return [status, { ...response, description, content: { [type]: { ...media, examples: { recorded } } } }];
  });
  return { get: { ...operation, responses: Object.fromEntries(described) as OpenApiOperation['responses'] } };
}

/** The decorators still write `nullable`, which is OpenAPI 3.0. */
function standard(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(standard);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...members } = node as Record<string, unknown>;
  const all = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, standard(member)]));
  if (nullable !== true) return all;
  return typeof all['type'] === 'string' && !all['enum']
    ? { ...all, type: [all['type'], 'null'] }
    : { anyOf: [all, { type: 'null' }] };
}

/** The refusals of operators by status, with the bodies of the running service. */
function refusalExamples(path: string, { parameters = [] }: OpenApiOperation): Record<string, OpenApiExample> {
  const { name } = parameters.find(({ schema }) => schema.type === 'integer')!;
  return {
    400: refusal(badQuery(name, 'wrong_type', 'must be one integer'), { path: `${path}?${name}=some` }),
    401: refusal(new InvalidAdminToken()),
    429: refusal(new RateLimited({ scope: 'operator', limit: 120, window_seconds: 60 })),
    501: refusal(new AdminNotConfigured()),
    503: refusal(new ServiceUnavailable()),
  };
}

function refusal(error: DomainError, provokedBy?: ProvokingRequest): OpenApiExample {
  return { value: errorAnswer(error).body, ...(provokedBy && { 'x-request': provokedBy }) };
}

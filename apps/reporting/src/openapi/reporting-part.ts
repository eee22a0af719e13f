import {
  ErrorBody,
  type OpenApiDocument,
  type OpenApiExample,
  type OpenApiOperation,
  type ProvokingRequest,
} from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { errorAnswer, RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { badQuery } from '@evenkeel/platform/validation';
import { partOf, recordedAnswers, refusalExample, type Route } from '@evenkeel/platform/openapi';
import { appModule } from '@evenkeel/platform/service';
import { AdminNotConfigured, InvalidAdminToken } from '../operator-access/operator-only';
import { PaymentNotFound } from '../revenue/payments/read-payment-history';
import { ReportingConfig } from '../reporting.config';
import { REPORTING } from '../service';

/** An id that no payment has. */
const NO_PAYMENT = '00000000-0000-7000-8000-000000000000';

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
    304: { description: 'The caller has it: the ETag is the one of If-None-Match' },
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
export async function reportingPart(answers = recordedAnswers('reporting')): Promise<OpenApiDocument> {
  const config = loadConfig(ReportingConfig, { DATABASE_URL: 'postgres://nobody@localhost/nothing' });
  return partOf(appModule(REPORTING, config), {
    info: { title: 'Reporting', version: '1.0.0' },
    contracts: { bodies: [], answers: [ErrorBody] },
    tags: [{ name: 'Revenue', description: 'For operators: money, by time, endpoint and wallet.' }],
    examples: (route) => ({ ...recorded(answers[`${route.operation.operationId} 200`]), ...refusalsOf(route) }),
    description: 'The figures',
    pages: { '/dashboard': { get: PAGE } },
  });
}

function recorded(answer: unknown): Record<string, OpenApiExample> {
  return answer === undefined ? {} : { 200: { value: answer } };
}

function refusalsOf({ path, operation: { parameters = [] } }: Route): Record<string, OpenApiExample> {
  const query = parameters.find(({ schema }) => schema.type === 'integer');
  const asked = path.replace('{id}', NO_PAYMENT);
  return {
    400: query
      ? refusal(badQuery(query.name, 'wrong_type', 'must be one integer'), { path: `${path}?${query.name}=some` })
      : refusal(badQuery('some', 'unknown_property', 'is not known here'), { path: `${asked}?some=1` }),
    404: refusal(new PaymentNotFound()),
    401: refusal(new InvalidAdminToken()),
    429: refusal(new RateLimited({ scope: 'operator', limit: 120, window_seconds: 60 })),
    501: refusal(new AdminNotConfigured()),
    503: refusal(new ServiceUnavailable()),
  };
}

function refusal(error: DomainError, provokedBy?: ProvokingRequest): OpenApiExample {
  return refusalExample(errorAnswer(error).body, provokedBy);
}

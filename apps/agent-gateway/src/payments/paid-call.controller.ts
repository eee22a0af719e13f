import {
  AgentAnalysisInput,
  AgentAnalysisResult,
  AgentErrorBody,
  AgentInsightsResult,
  AgentPlanResult,
  AgentRecommendResult,
  PAID_ENDPOINTS,
  ReliabilityInput,
  ReliabilityResult,
  SingleHabitPlanInput,
  type Operation,
  type PaidEndpoint,
} from '@evenkeel/contracts';
import { IDEMPOTENCY_KEY_SCHEMA } from '@evenkeel/platform/validation';
import { applyDecorators, Controller, Get, Post, Req, Res, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExcludeEndpoint,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answer, LIMIT_HEADERS, SharedAnswers, TAGS } from '../documentation/answers';
import { decimalPrice } from '../offers/offers';
import { PaidRequests } from './paid-requests';

const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint]));

const HOW_TO_PAY =
  'Without a payment the answer is 402 with the offer and a free verdict on the body. Sign the offer (x402, scheme exact) and ' +
  'repeat the identical request with the payment in X-PAYMENT or PAYMENT-SIGNATURE, version 1 or 2; a client that registers ' +
  'schemes must have that of version 2. GET and HEAD on this ' +
  'address answer 402 with the same offer, always, and take no payment.';

const PAYING_HEADERS = [
  { name: 'X-PAYMENT', description: 'x402 payment: base64 of JSON, version 1 or 2' },
  { name: 'PAYMENT-SIGNATURE', description: 'The same; X-PAYMENT wins when both are there' },
  { name: 'X-Agent-Credit', description: 'A call credit in place of a payment' },
  {
    name: 'Idempotency-Key',
    description: 'Lets a repeat have the credit token of the first answer too',
    schema: IDEMPOTENCY_KEY_SCHEMA,
  },
];

const RESULT_HEADERS = {
  'Content-Digest': 'ContentDigest',
  'X-Engine-Version': 'EngineVersion',
  'PAYMENT-RESPONSE': 'PaymentResponse',
  'X-PAYMENT-RESPONSE': 'PaymentResponse',
  'X-Evenkeel-Receipt': 'Receipt',
  'X-Agent-Credit-Status': 'CreditStatus',
  'Idempotent-Replayed': 'Replayed',
  ...LIMIT_HEADERS,
} as const;

/** The five paid endpoints. Their answers are sent as they are, by `@Res()`: this is the path whose cost is measured. */
@Controller('agent/v1')
export class PaidCallController {
  constructor(private readonly requests: PaidRequests) {}

  /** 402 with the offer, always: GET and HEAD take no payment, and nothing is charged. */
  @Get(PAID_ENDPOINTS.map(pathOf))
  @ApiExcludeEndpoint()
  probe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const endpoint = PAID_ENDPOINTS.find(({ path }) => path === request.routeOptions.url)!;
    this.requests.probe(endpoint, request, reply);
  }

  @PaidOperation('analyze', AgentAnalysisResult, AgentAnalysisInput)
  analyzeHabits(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('analyze')!, request, reply);
  }

  @PaidOperation('plan', AgentPlanResult, AgentAnalysisInput, SingleHabitPlanInput)
  planHabits(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('plan')!, request, reply);
  }

  @PaidOperation('insights', AgentInsightsResult, AgentAnalysisInput)
  findHabitInsights(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('insights')!, request, reply);
  }

  @PaidOperation('recommend', AgentRecommendResult, AgentAnalysisInput)
  recommendHabitActions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('recommend')!, request, reply);
  }

  @PaidOperation('reliability', ReliabilityResult, ReliabilityInput)
  analyzeReliability(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('reliability')!, request, reply);
  }
}

/** The route of a paid endpoint, and its document: price, headers that pay, result, and the refusals that all of them share. */
function PaidOperation(operation: Operation, result: Type, ...forms: Type[]): MethodDecorator {
  const endpoint = ENDPOINTS.get(operation)!;
  const [form] = forms;
  const oneOf = forms.map((one) => ({ $ref: getSchemaPath(one) }));
  const price = { mode: 'fixed', currency: 'USD', amount: decimalPrice(endpoint) };
  return applyDecorators(
    Post(pathOf(endpoint)),
    ApiExtraModels(...forms),
    ApiBody(forms.length === 1 ? { type: form } : { schema: { oneOf } }),
    ApiOperation({
      operationId: endpoint.toolName.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: `${endpoint.title} (${price.amount} USD)`,
      description: `${endpoint.description} ${HOW_TO_PAY}`,
      tags: [TAGS.paid],
      security: [],
    }),
    ApiExtension('x-payment-info', { protocols: [{ x402: {} }], price }),
    ...PAYING_HEADERS.map((header) => ApiHeader({ ...header, required: false })),
    Answer({
      status: 200,
      type: result,
      description: 'The result; paid, or served for a credit',
      headers: RESULT_HEADERS,
    }),
    Answer({
      status: 400,
      type: AgentErrorBody,
      description: 'The body does not fit its schema, or Idempotency-Key its form; nothing was charged',
    }),
    SharedAnswers({
      402: 'PaymentRequired',
      413: 'AgentPayloadTooLarge',
      415: 'AgentUnsupportedMediaType',
      429: 'AgentRateLimited',
      500: 'AgentInternalError',
      502: 'PaymentUnclear',
    }),
  );
}

/** Below the path of the controller. */
function pathOf({ path }: PaidEndpoint): string {
  return path.slice('/agent/v1/'.length);
}

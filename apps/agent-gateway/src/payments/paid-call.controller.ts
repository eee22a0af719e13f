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
  @Get(PAID_ENDPOINTS.map(({ path }) => path.slice('/agent/v1/'.length)))
  @ApiExcludeEndpoint()
  probe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { url } = request.routeOptions;
    this.requests.probe(
      PAID_ENDPOINTS.find(({ path }) => path === url)!,
      request,
      reply,
    );
  }

  @Post('habits/analyze')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidOperation('analyze', AgentAnalysisResult)
  analyzeHabits(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('analyze')!, request, reply);
  }

  @Post('habits/plan')
  @BodyOfOneForm(AgentAnalysisInput, SingleHabitPlanInput)
  @PaidOperation('plan', AgentPlanResult)
  planHabits(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('plan')!, request, reply);
  }

  @Post('habits/insights')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidOperation('insights', AgentInsightsResult)
  findHabitInsights(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('insights')!, request, reply);
  }

  @Post('habits/recommend')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidOperation('recommend', AgentRecommendResult)
  recommendHabitActions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('recommend')!, request, reply);
  }

  @Post('reliability/analyze')
  @ApiBody({ type: ReliabilityInput })
  @PaidOperation('reliability', ReliabilityResult)
  analyzeReliability(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.answer(ENDPOINTS.get('reliability')!, request, reply);
  }
}

/** Documents a paid endpoint: its price, the headers that pay, the result, and the refusals that all of them share. */
function PaidOperation(operation: Operation, result: Type): MethodDecorator {
  const endpoint = ENDPOINTS.get(operation)!;
  const price = { mode: 'fixed', currency: 'USD', amount: decimalPrice(endpoint) };
  return applyDecorators(
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

function BodyOfOneForm(...forms: Type[]): MethodDecorator {
  const oneOf = forms.map((form) => ({ $ref: getSchemaPath(form) }));
  return applyDecorators(ApiExtraModels(...forms), ApiBody({ schema: { oneOf } }));
}

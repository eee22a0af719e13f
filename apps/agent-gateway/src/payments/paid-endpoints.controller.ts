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
import { headerLines, ReadyAnswer, type RawRequest } from '@evenkeel/platform/http';
import { IDEMPOTENCY_KEY_SCHEMA } from '@evenkeel/platform/validation';
import { applyDecorators, Controller, Injectable, Post, type Type } from '@nestjs/common';
import { ApiBody, ApiExtension, ApiExtraModels, ApiHeader, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { sent, type Answer as CallAnswer, type CallFacts } from '../calls/call';
import { Deadline } from '../calls/deadline';
import { PaymentRefused } from '../calls/payment-refused';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Answer, LIMIT_HEADERS, SharedAnswers, TAGS } from '../documentation/answers';
import { AddressLimits, type UnprovedAttempt } from '../limits/caller-limits';
import { Challenges } from '../offers/challenges';
import { decimalPrice } from '../offers/offers';
import { AnswerCall } from './answer-call';
import { idempotencyKey, instrumentIn, isUnpaid } from './decode-payment';
import { RequestBodies } from './request-bodies';
import { challengeAnswer, UnpaidRequests } from './unpaid-requests';

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

type Headers = Record<string, string>;

/** HTTP in and out of calls with a payment or a credit. */
@Injectable()
export class PaidRequests {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
    private readonly answerCall: AnswerCall,
  ) {}

  /** 200 with the result; 402 with the offer; 400, 413, 415, 429, 502 in the order of D-16. */
  async answer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer): Promise<void> {
    // From the last byte of the request: a sender who is slow takes nothing from the time in which settle may answer.
    const deadline = new Deadline(this.config.PAID_ANSWER_BUDGET_MS);
    const caller = this.addresses.callerOf(rawRequest.request);
    const headers: Headers = {};
    try {
      const admitted = this.addresses.admit(caller);
      const attempt = admitted instanceof Promise ? await admitted : admitted;
      const result = await this.result(endpoint, rawRequest, body, { deadline, attempt, headers });
      rawRequest.send(readyAnswer(result), headerLines(headers));
    } catch (error) {
      Object.assign(headers, await this.addresses.countUnpaid(caller, error));
      // The payment or the credit may have paid for this call in an earlier request.
      if (!(error instanceof PaymentRefused)) return rawRequest.fail(error, headers, { mayBeCharged: true });
      this.refuse(endpoint, rawRequest, error, headers);
    }
  }

  /** @param call headers takes what the answer says of a refused credit */
  private result(
    endpoint: PaidEndpoint,
    { request, id }: RawRequest,
    body: Buffer,
    call: { deadline: Deadline; attempt: UnprovedAttempt; headers: Headers },
  ): Promise<CallAnswer> {
    const read = this.bodies.read(endpoint, request.headers, body);
    const facts: CallFacts = {
      surface: 'http',
      endpoint,
      value: read.value,
      input: read.input,
      warnings: read.warnings,
      idempotencyKey: idempotencyKey(request.headers),
      requestId: id,
      deadline: call.deadline,
    };
    return this.answerCall.execute(facts, instrumentIn(request.headers), call.attempt, (ofCredit) => {
      Object.assign(call.headers, ofCredit);
    });
  }

  private refuse(endpoint: PaidEndpoint, rawRequest: RawRequest, error: PaymentRefused, headers: Headers): void {
    const { code, message, details } = error;
    const challenge = this.challenges.refused(endpoint, { error: code, message, details });
    const answer = challengeAnswer(rawRequest.request.headers.accept, challenge, this.config.baseUrl);
    rawRequest.send(answer, headerLines({ ...headers, ...error.headers }));
  }
}

/** Headers and body in one text, which goes out in one write to the socket. */
function readyAnswer(answer: CallAnswer): ReadyAnswer {
  const { status, headers, body } = sent(answer);
  return new ReadyAnswer(status, headers, body.toString('latin1'));
}

/**
 * The five paid endpoints. `BareRoutes` serves them on the bare connection, since this is the path whose cost is measured
 * (docs/adr/0008): handlers take the raw request, and guards, pipes and interceptors of Nest do not run.
 */
@Controller('agent/v1')
export class PaidEndpointsController {
  constructor(
    private readonly unpaidRequests: UnpaidRequests,
    private readonly paidRequests: PaidRequests,
  ) {}

  @Post('habits/analyze')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidOperation('analyze', AgentAnalysisResult)
  analyzeHabits(rawRequest: RawRequest): void {
    this.answer('analyze', rawRequest);
  }

  @Post('habits/plan')
  @BodyOfOneForm(AgentAnalysisInput, SingleHabitPlanInput)
  @PaidOperation('plan', AgentPlanResult)
  planHabits(rawRequest: RawRequest): void {
    this.answer('plan', rawRequest);
  }

  @Post('habits/insights')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidOperation('insights', AgentInsightsResult)
  findHabitInsights(rawRequest: RawRequest): void {
    this.answer('insights', rawRequest);
  }

  @Post('habits/recommend')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidOperation('recommend', AgentRecommendResult)
  recommendHabitActions(rawRequest: RawRequest): void {
    this.answer('recommend', rawRequest);
  }

  @Post('reliability/analyze')
  @ApiBody({ type: ReliabilityInput })
  @PaidOperation('reliability', ReliabilityResult)
  analyzeReliability(rawRequest: RawRequest): void {
    this.answer('reliability', rawRequest);
  }

  private answer(operation: Operation, rawRequest: RawRequest): void {
    const endpoint = ENDPOINTS.get(operation)!;
    const requests = isUnpaid(rawRequest.request.headers) ? this.unpaidRequests : this.paidRequests;
    rawRequest.readBody((body) => requests.answer(endpoint, rawRequest, body));
  }
}

/** What is for sale and for how much, the headers that pay, the result, and the refusals that all paid endpoints share. */
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

import {
  AgentAnalysisInput,
  AgentAnalysisResult,
  AgentErrorBody,
  AgentInsightsResult,
  AgentPlanResult,
  AgentRecommendResult,
  PAID_ENDPOINTS,
  PaymentRequired,
  ReliabilityInput,
  ReliabilityResult,
  SingleHabitPlanInput,
  type Operation,
} from '@evenkeel/contracts';
import type { RawRequest } from '@evenkeel/platform/http';
import { applyDecorators, Controller, Post, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { isUnpaid } from './decode-payment';
import { PaidRequests } from './paid-requests';
import { UnpaidRequests } from './unpaid-requests';

const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint]));

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
  @PaidAnswers(AgentAnalysisResult)
  analyzeHabits(rawRequest: RawRequest): void {
    this.answer('analyze', rawRequest);
  }

  @Post('habits/plan')
  @BodyOfOneForm(AgentAnalysisInput, SingleHabitPlanInput)
  @PaidAnswers(AgentPlanResult)
  planHabits(rawRequest: RawRequest): void {
    this.answer('plan', rawRequest);
  }

  @Post('habits/insights')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidAnswers(AgentInsightsResult)
  findHabitInsights(rawRequest: RawRequest): void {
    this.answer('insights', rawRequest);
  }

  @Post('habits/recommend')
  @ApiBody({ type: AgentAnalysisInput })
  @PaidAnswers(AgentRecommendResult)
  recommendHabitActions(rawRequest: RawRequest): void {
    this.answer('recommend', rawRequest);
  }

  @Post('reliability/analyze')
  @ApiBody({ type: ReliabilityInput })
  @PaidAnswers(ReliabilityResult)
  analyzeReliability(rawRequest: RawRequest): void {
    this.answer('reliability', rawRequest);
  }

  private answer(operation: Operation, rawRequest: RawRequest): void {
    const endpoint = ENDPOINTS.get(operation)!;
    const requests = isUnpaid(rawRequest.request.headers) ? this.unpaidRequests : this.paidRequests;
    rawRequest.readBody((body) => requests.answer(endpoint, rawRequest, body));
  }
}

/** The headers that pay, the result, and the refusals that all paid endpoints share. */
function PaidAnswers(result: Type): MethodDecorator {
  const refusals = [
    [400, 'The body does not fit its schema; nothing was charged'],
    [413, 'The body is too long; nothing was charged'],
    [415, 'The body is not JSON in UTF-8, plain or gzip; nothing was charged'],
    [429, 'Too many calls of this address or wallet, or at once'],
    [500, 'Something failed on our side'],
    [502, 'The payment could not be verified, or its settlement is not known yet'],
  ] as const;
  return applyDecorators(
    ApiHeader({ name: 'X-PAYMENT', description: 'x402 payment: base64 of JSON, version 1 or 2' }),
    ApiHeader({ name: 'PAYMENT-SIGNATURE', description: 'The same; X-PAYMENT wins when both are there' }),
    ApiHeader({ name: 'X-Agent-Credit', description: 'A call credit in place of a payment' }),
    ApiHeader({ name: 'Idempotency-Key', description: 'Lets a repeat have the credit token of the first answer too' }),
    ApiResponse({ status: 200, type: result, description: 'The result; paid, or served for a credit' }),
    ApiResponse({ status: 402, type: PaymentRequired, description: 'The offer, and what is wrong with the payment' }),
    ...refusals.map(([status, description]) => ApiResponse({ status, type: AgentErrorBody, description })),
  );
}

function BodyOfOneForm(...forms: Type[]): MethodDecorator {
  const oneOf = forms.map((form) => ({ $ref: getSchemaPath(form) }));
  return applyDecorators(ApiExtraModels(...forms), ApiBody({ schema: { oneOf } }));
}

import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { Challenges } from '../challenges/challenges';
import { decodePayment } from '../payments/decode-payment';
import { PayForCall } from '../payments/pay-for-call';
import { PaymentRefused } from '../payments/payment-refused';
import { Deadline } from '../calls/deadline';
import { InFlightCalls } from '../payments/in-flight-calls';
import { PaidCall } from '../payments/paid-call';
import { idempotencyKey, paymentHeader } from './payment-header';
import { RequestBodies } from './request-bodies';
import { sendAnswer, sendChallenge } from './send';

const PATHS = PAID_ENDPOINTS.map(({ path }) => path);
const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));

/** The five paid endpoints. Answers are written by hand: this is the path whose cost is measured. */
@Controller()
export class PaidCallsController {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly inFlight: InFlightCalls,
    private readonly payForCall: PayForCall,
  ) {}

  /** 200 with the result; 402 with the offer; 400, 413, 415, 429, 502 as spec-decisions 2.4 orders them. */
  @Post(PATHS)
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const endpoint = endpointOf(request);
    const payment = paymentHeader(request.headers);
    if (payment === null) {
      const challenge = this.challenges.unpaid(endpoint, this.bodies.preflight(endpoint, request));
      sendChallenge(request, reply, challenge, this.config.baseUrl);
      return;
    }
    const deadline = new Deadline(this.config.PAID_ANSWER_BUDGET_MS - reply.elapsedTime);
    const body = this.bodies.read(endpoint, request);
    try {
      const call = new PaidCall({
        endpoint,
        ...body,
        payment: decodePayment(payment),
        idempotencyKey: idempotencyKey(request.headers),
        requestId: request.id,
        deadline,
      });
      sendAnswer(reply, await this.inFlight.once(call, () => this.payForCall.execute(call)));
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      reply.headers(error.receipt);
      const { code, message, details } = error;
      const challenge = this.challenges.refused(endpoint, { error: code, message, details });
      sendChallenge(request, reply, challenge, this.config.baseUrl);
    }
  }

  /** GET and HEAD always get the offer: no payment is looked at, nothing is charged. */
  @Get(PATHS)
  probe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    reply.header('allow', 'POST');
    sendChallenge(request, reply, this.challenges.probed(endpointOf(request)), this.config.baseUrl);
  }
}

function endpointOf(request: FastifyRequest): PaidEndpoint {
  return ENDPOINTS.get(request.routeOptions.url!)!;
}

import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { sent } from '../calls/answer';
import type { CallFacts } from '../calls/call';
import { Deadline } from '../calls/deadline';
import { Challenges } from '../challenges/challenges';
import type { Challenge } from '../challenges/prepared-challenge';
import { AddressLimits } from '../limits/address-limits';
import { PaymentRefused } from '../payments/payment-refused';
import { AnswerCall } from './answer-call';
import { idempotencyKey, tenderIn } from './payment-header';
import { RequestBodies } from './request-bodies';
import { challengeAnswer } from './challenge-answer';

const NO_BODY = Buffer.alloc(0);
const PATHS = PAID_ENDPOINTS.map(({ path }) => path);
const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));

/** The five paid endpoints. Answers are written by hand: this is the path whose cost is measured. */
@Controller()
export class PaidCallsController {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
    private readonly answerCall: AnswerCall,
  ) {}

  /** 200 with the result; 402 with the offer; 400, 413, 415, 429, 502 as spec-decisions 2.4 orders them. `UnpaidCalls` comes first. */
  @Post(PATHS)
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const endpoint = endpointOf(request);
    const deadline = new Deadline(this.config.PAID_ANSWER_BUDGET_MS - reply.elapsedTime);
    const caller = this.addresses.callerOf(request.raw);
    const key = idempotencyKey(request.headers);
    try {
      const body = this.bodies.read(endpoint, request.headers, (request.body as Buffer | undefined) ?? NO_BODY);
      const facts: CallFacts = {
        surface: 'http',
        endpoint,
        ...body,
        idempotencyKey: key,
        requestId: request.id,
        deadline,
      };
      const noteRefusal = (headers: Record<string, string>) => void reply.headers(headers);
      const answer = await this.answerCall.execute(facts, tenderIn(request.headers), caller, noteRefusal);
      const { status, headers, body: result } = sent(answer);
      void reply.code(status).headers(headers).send(result);
    } catch (error) {
      reply.headers(await this.addresses.countUnpaid(caller, error));
      if (!(error instanceof PaymentRefused)) throw error;
      reply.headers(error.headers);
      const { code, message, details } = error;
      const challenge = this.challenges.refused(endpoint, { error: code, message, details });
      this.sendChallenge(request, reply, challenge);
    }
  }

  /** GET and HEAD always get the offer: no payment is looked at, nothing is charged. */
  @Get(PATHS)
  probe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    reply.header('allow', 'POST');
    this.sendChallenge(request, reply, this.challenges.probed(endpointOf(request)));
  }

  private sendChallenge(request: FastifyRequest, reply: FastifyReply, challenge: Challenge): void {
    const { status, headers, text } = challengeAnswer(request.headers.accept, challenge, this.config.baseUrl);
    void reply.code(status).headers(headers).send(text);
  }
}

function endpointOf(request: FastifyRequest): PaidEndpoint {
  return ENDPOINTS.get(request.routeOptions.url!)!;
}

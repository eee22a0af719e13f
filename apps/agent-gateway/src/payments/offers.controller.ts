import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Challenges } from '../offers/challenges';
import { challengeAnswer } from './challenge-answer';

const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));

/** What a call of the five paid endpoints costs; the calls themselves are the `CallSurface`. */
@Controller()
export class OffersController {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
  ) {}

  /** GET and HEAD always get the offer: no payment is looked at, nothing is charged. */
  @Get([...ENDPOINTS.keys()])
  probe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const challenge = this.challenges.probed(ENDPOINTS.get(request.routeOptions.url!)!);
    const { status, headers, text } = challengeAnswer(request.headers.accept, challenge, this.config.baseUrl);
    void reply.code(status).headers(headers).header('allow', 'POST').send(text);
  }
}

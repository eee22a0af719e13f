import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Challenges } from '../offers/challenges';
import { challengeAnswer } from './unpaid-requests';

const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));

/** What a call of the five paid endpoints costs. `PaidEndpointsController` answers the calls themselves. */
@ApiExcludeController()
@Controller()
export class OffersController {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
  ) {}

  /** 402 with the offer, always: GET and HEAD take no payment, and nothing is charged. */
  @Get([...ENDPOINTS.keys()])
  probe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const challenge = this.challenges.probed(ENDPOINTS.get(request.routeOptions.url!)!);
    const { status, headers, text } = challengeAnswer(request.headers.accept, challenge, this.config.baseUrl);
    void reply.code(status).headers(headers).header('allow', 'POST').send(text);
  }
}

import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import type { Exchange, Shortcut } from '@evenkeel/platform';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { Challenges } from '../challenges/challenges';
import { challengeAnswer } from './challenge-answer';
import { paymentHeader } from './payment-header';
import { RequestBodies } from './request-bodies';

/**
 * Answers paid calls that carry no payment, before the framework sees them: most requests are these, and whoever sends
 * them pays nothing, so they must cost next to nothing (docs/adr/0008).
 */
@Injectable()
export class UnpaidCalls implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
  ) {}

  onModuleInit(): void {
    const { shortcuts } = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    for (const endpoint of PAID_ENDPOINTS) shortcuts.post(endpoint.path, this.shortcutOf(endpoint));
  }

  /** 402 with the offer and a free verdict on the body; 413. What carries a payment goes to its controller. */
  private shortcutOf(endpoint: PaidEndpoint): Shortcut {
    const answer = (exchange: Exchange): void =>
      exchange.readBody((body) => {
        const preflight = this.bodies.preflight(endpoint, exchange.request.headers, body);
        const challenge = this.challenges.unpaid(endpoint, preflight);
        const { headers, text } = challengeAnswer(exchange.request.headers.accept, challenge, this.config.baseUrl);
        exchange.send(402, Object.entries(headers).flat(), text);
      });
    return { takes: (headers) => paymentHeader(headers) === null, answer };
  }
}

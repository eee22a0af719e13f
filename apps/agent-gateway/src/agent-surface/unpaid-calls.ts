import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { headerLines, type Exchange, type Shortcut } from '@evenkeel/platform';
import type { Standing } from '@evenkeel/platform/throttling';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { Challenges } from '../challenges/challenges';
import { AddressLimits } from '../limits/address-limits';
import { challengeAnswer } from './challenge-answer';
import { isUnpaid } from './payment-header';
import { RequestBodies } from './request-bodies';

/**
 * Answers paid calls that carry neither payment nor credit, before the framework sees them: most requests are these, and whoever sends
 * them pays nothing, so they must cost next to nothing (docs/adr/0008).
 */
@Injectable()
export class UnpaidCalls implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
  ) {}

  onModuleInit(): void {
    const { shortcuts } = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    for (const endpoint of PAID_ENDPOINTS) shortcuts.post(endpoint.path, this.shortcutOf(endpoint));
  }

  /** 402 with the offer and a free verdict on the body; 413, 429. What carries a payment or a credit goes to its controller. */
  private shortcutOf(endpoint: PaidEndpoint): Shortcut {
    const answer = (exchange: Exchange): void =>
      exchange.readBody((body) => {
        const standing = this.addresses.unpaid.take(this.addresses.callerOf(exchange.request));
        // In process the standing is there at once: this path must not wait for a promise.
        if (standing instanceof Promise) return standing.then((known) => this.answer(endpoint, exchange, body, known));
        return this.answer(endpoint, exchange, body, standing);
      });
    return { takes: isUnpaid, answer };
  }

  private answer(endpoint: PaidEndpoint, exchange: Exchange, body: Buffer, standing: Standing): void {
    const { unpaid } = this.addresses;
    if (!standing.allowed) throw unpaid.refusal(standing);
    const preflight = this.bodies.preflight(endpoint, exchange.request.headers, body);
    const challenge = this.challenges.unpaid(endpoint, preflight);
    const answer = challengeAnswer(exchange.request.headers.accept, challenge, this.config.baseUrl);
    exchange.send(answer, headerLines(unpaid.headers(standing)));
  }
}

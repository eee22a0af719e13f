import type { PaidEndpoint } from '@evenkeel/contracts';
import { headerLines, type RawRequest } from '@evenkeel/platform/http';
import type { LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Challenges } from '../offers/challenges';
import { AddressLimits } from '../limits/address-limits';
import { challengeAnswer } from './challenge-answer';
import { RequestBodies } from './request-bodies';

/** Calls that carry neither payment nor credit: most requests are these, and whoever sends them pays nothing, so they must cost next to nothing. */
@Injectable()
export class UnpaidCalls {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
  ) {}

  /** 402 with the offer and a free verdict on the body; 413, 429. */
  answer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer): void | Promise<void> {
    const standing = this.addresses.unpaid.take(this.addresses.callerOf(rawRequest.request));
    // In process the standing is there at once: this path must not wait for a promise.
    if (standing instanceof Promise) return standing.then((known) => this.offer(endpoint, rawRequest, body, known));
    return this.offer(endpoint, rawRequest, body, standing);
  }

  private offer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer, standing: LimitStatus): void {
    const { unpaid } = this.addresses;
    if (!standing.allowed) throw unpaid.refusal(standing);
    const preflight = this.bodies.preflight(endpoint, rawRequest.request.headers, body);
    const challenge = this.challenges.unpaid(endpoint, preflight);
    const answer = challengeAnswer(rawRequest.request.headers.accept, challenge, this.config.baseUrl);
    rawRequest.sendCounted(answer, headerLines(unpaid.headers(standing)));
  }
}

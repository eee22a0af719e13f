import { ERRORS_PATH, type PaidEndpoint } from '@evenkeel/contracts';
import { asProblem, headerLines, ReadyAnswer, type ErrorBody, type RawRequest } from '@evenkeel/platform/http';
import type { LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AddressLimits } from '../limits/caller-limits';
import { asciiJson, Challenges, type Challenge } from '../offers/challenges';
import { RequestBodies } from './request-bodies';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';

/**
 * HTTP in and out of calls without payment and credit. Most requests are these, and their senders pay nothing, so they must
 * cost next to nothing.
 */
@Injectable()
export class UnpaidRequests {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
  ) {}

  /** 402 with the offer and a free verdict on the body; 413, 429. */
  answer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer): void | Promise<void> {
    const status = this.addresses.unpaid.take(this.addresses.callerOf(rawRequest.request));
    // With windows in process the status is there at once: this path must not wait for a promise.
    if (status instanceof Promise) return status.then((known) => this.offer(endpoint, rawRequest, body, known));
    return this.offer(endpoint, rawRequest, body, status);
  }

  private offer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer, status: LimitStatus): void {
    const { unpaid } = this.addresses;
    if (!status.allowed) throw unpaid.refusal(status);
    const preflight = this.bodies.preflight(endpoint, rawRequest.request.headers, body);
    const challenge = this.challenges.unpaid(endpoint, preflight);
    const answer = challengeAnswer(rawRequest.request.headers.accept, challenge, this.config.baseUrl);
    rawRequest.sendCounted(answer, headerLines(unpaid.headers(status)));
  }
}

const ready = new WeakMap<Challenge, ReadyAnswer>();

/** The 402, built once for each challenge. A caller that asks for a problem document gets one made for this answer. */
export function challengeAnswer(accept: string | undefined, challenge: Challenge, baseUrl: string): ReadyAnswer {
  if (accept?.includes(PROBLEM_TYPE)) return problemAnswer(challenge, baseUrl);
  let answer = ready.get(challenge);
  if (!answer) {
    answer = answerOf(challenge.header, JSON_TYPE, challenge.body);
    ready.set(challenge, answer);
  }
  return answer;
}

function problemAnswer({ header, body }: Challenge, baseUrl: string): ReadyAnswer {
  const problem = asProblem(JSON.parse(body) as ErrorBody, 402, baseUrl + ERRORS_PATH);
  return answerOf(header, `${PROBLEM_TYPE}; charset=utf-8`, asciiJson(JSON.stringify(problem)));
}

function answerOf(header: string, type: string, text: string): ReadyAnswer {
  return new ReadyAnswer(402, { 'payment-required': header, 'content-type': type }, text);
}

import type { PaidEndpoint } from '@evenkeel/contracts';
import { headerLines, type RawRequest } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { Answer } from '../calls/answer';
import type { CallFacts } from '../calls/call';
import { Deadline } from '../calls/deadline';
import { Challenges } from '../offers/challenges';
import { AddressLimits } from '../limits/address-limits';
import type { UnprovedAttempt } from '../limits/unproved-attempt';
import { PaymentRefused } from '../calls/payment-refused';
import { AnswerCall } from './answer-call';
import { challengeAnswer } from './challenge-answer';
import { idempotencyKey, instrumentIn } from './payment-header';
import { RequestBodies } from './request-bodies';
import { resultText } from './result-text';

type Headers = Record<string, string>;

/** Calls that carry a payment or a credit. */
@Injectable()
export class PaidCalls {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
    private readonly answerCall: AnswerCall,
  ) {}

  /** 200 with the result; 402 with the offer; 400, 413, 415, 429, 502 as spec-decisions 2.4 orders them. */
  async answer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer): Promise<void> {
    const deadline = new Deadline(this.config.PAID_ANSWER_BUDGET_MS - rawRequest.elapsedMs);
    const caller = this.addresses.callerOf(rawRequest.request);
    const noted: Headers = {};
    try {
      const admitted = this.addresses.admit(caller);
      const attempt = admitted instanceof Promise ? await admitted : admitted;
      const result = await this.result(endpoint, rawRequest, body, { deadline, attempt, noted });
      rawRequest.send(resultText(result), headerLines(noted));
    } catch (error) {
      Object.assign(noted, await this.addresses.countUnpaid(caller, error));
      // What came along may have paid for this very call before.
      if (!(error instanceof PaymentRefused)) return rawRequest.fail(error, noted, { mayBeCharged: true });
      this.refuse(endpoint, rawRequest, error, noted);
    }
  }

  /** @param noted takes what the answer says of a credit that did not do */
  private result(
    endpoint: PaidEndpoint,
    { request: { headers }, id }: RawRequest,
    body: Buffer,
    { deadline, attempt, noted }: { deadline: Deadline; attempt: UnprovedAttempt; noted: Headers },
  ): Promise<Answer> {
    const read = this.bodies.read(endpoint, headers, body);
    const facts: CallFacts = {
      surface: 'http',
      endpoint,
      value: read.value,
      input: read.input,
      warnings: read.warnings,
      idempotencyKey: idempotencyKey(headers),
      requestId: id,
      deadline,
    };
    return this.answerCall.execute(facts, instrumentIn(headers), attempt, (of) => void Object.assign(noted, of));
  }

  private refuse(endpoint: PaidEndpoint, rawRequest: RawRequest, error: PaymentRefused, noted: Headers): void {
    const { code, message, details, headers } = error;
    const challenge = this.challenges.refused(endpoint, { error: code, message, details });
    const answer = challengeAnswer(rawRequest.request.headers.accept, challenge, this.config.baseUrl);
    rawRequest.send(answer, headerLines({ ...noted, ...headers }));
  }
}

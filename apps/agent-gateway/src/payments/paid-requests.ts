import type { PaidEndpoint } from '@evenkeel/contracts';
import { headerLines, ReadyAnswer, type RawRequest } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { sent, type Answer } from '../calls/answer';
import type { CallFacts } from '../calls/call';
import { Deadline } from '../calls/deadline';
import { PaymentRefused } from '../calls/payment-refused';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AddressLimits, type UnprovedAttempt } from '../limits/caller-limits';
import { Challenges } from '../offers/challenges';
import { AnswerCall } from './answer-call';
import { idempotencyKey, instrumentIn } from './decode-payment';
import { RequestBodies } from './request-bodies';
import { challengeAnswer } from './unpaid-requests';

type Headers = Record<string, string>;

/** HTTP in and out of calls with a payment or a credit. */
@Injectable()
export class PaidRequests {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
    private readonly answerCall: AnswerCall,
  ) {}

  /** 200 with the result; 402 with the offer; 400, 413, 415, 429, 502 in the order of D-16. */
  async answer(endpoint: PaidEndpoint, rawRequest: RawRequest, body: Buffer): Promise<void> {
    const deadline = new Deadline(this.config.PAID_ANSWER_BUDGET_MS - rawRequest.elapsedMs);
    const caller = this.addresses.callerOf(rawRequest.request);
    const headers: Headers = {};
    try {
      const admitted = this.addresses.admit(caller);
      const attempt = admitted instanceof Promise ? await admitted : admitted;
      const result = await this.result(endpoint, rawRequest, body, { deadline, attempt, headers });
      rawRequest.send(readyAnswer(result), headerLines(headers));
    } catch (error) {
      Object.assign(headers, await this.addresses.countUnpaid(caller, error));
      // The payment or the credit may have paid for this call in an earlier request.
      if (!(error instanceof PaymentRefused)) return rawRequest.fail(error, headers, { mayBeCharged: true });
      this.refuse(endpoint, rawRequest, error, headers);
    }
  }

  /** @param call headers takes what the answer says of a refused credit */
  private result(
    endpoint: PaidEndpoint,
    { request, id }: RawRequest,
    body: Buffer,
    call: { deadline: Deadline; attempt: UnprovedAttempt; headers: Headers },
  ): Promise<Answer> {
    const read = this.bodies.read(endpoint, request.headers, body);
    const facts: CallFacts = {
      surface: 'http',
      endpoint,
      value: read.value,
      input: read.input,
      warnings: read.warnings,
      idempotencyKey: idempotencyKey(request.headers),
      requestId: id,
      deadline: call.deadline,
    };
    return this.answerCall.execute(facts, instrumentIn(request.headers), call.attempt, (ofCredit) => {
      Object.assign(call.headers, ofCredit);
    });
  }

  private refuse(endpoint: PaidEndpoint, rawRequest: RawRequest, error: PaymentRefused, headers: Headers): void {
    const { code, message, details } = error;
    const challenge = this.challenges.refused(endpoint, { error: code, message, details });
    const answer = challengeAnswer(rawRequest.request.headers.accept, challenge, this.config.baseUrl);
    rawRequest.send(answer, headerLines({ ...headers, ...error.headers }));
  }
}

/** Headers and body in one text, which goes out in one write to the socket. */
function readyAnswer(answer: Answer): ReadyAnswer {
  const { status, headers, body } = sent(answer);
  return new ReadyAnswer(status, headers, body.toString('latin1'));
}

import { createHash } from 'node:crypto';
import type { PaidEndpoint } from '@evenkeel/contracts';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { canonicalJson } from './canonical-json';
import type { Payment } from './payment';
import { resultAnswer, type Answer } from '../calls/answer';
import type { Deadline } from '../calls/deadline';
import { score } from '../calls/score';

interface PaidCallFacts {
  endpoint: PaidEndpoint;
  /** The body as it was sent; valid for the endpoint. */
  value: unknown;
  /** The body as the engine takes it. */
  input: unknown;
  /** What the engine did not use or had to correct; last member of the result when not empty. */
  warnings: readonly string[];
  payment: Payment;
  idempotencyKey: string | null;
  requestId: string;
  deadline: Deadline;
}

/** A valid request together with the payment it came with. */
export class PaidCall {
  readonly endpoint: PaidEndpoint;
  readonly payment: Payment;
  readonly idempotencyKey: string | null;
  readonly requestId: string;
  readonly deadline: Deadline;
  /** SHA-256, hex, of method, path and canonical body: which request is paid for. */
  readonly fingerprint: string;
  private computed?: Answer;

  constructor(private readonly facts: PaidCallFacts) {
    this.endpoint = facts.endpoint;
    this.payment = facts.payment;
    this.idempotencyKey = facts.idempotencyKey;
    this.requestId = facts.requestId;
    this.deadline = facts.deadline;
    const { method, path } = facts.endpoint;
    const request = `${method}\n${path}\n${canonicalJson(facts.value)}`;
    this.fingerprint = createHash('sha256').update(request).digest('hex');
  }

  /** The same payment for the same request. */
  get identity(): string {
    return `${this.payment.digest} ${this.fingerprint}`;
  }

  /** The result as it will be sent, computed once. */
  result(): Answer {
    this.computed ??= resultAnswer(this.scored(), ENGINE_VERSION);
    return this.computed;
  }

  private scored(): Buffer {
    const { endpoint, input, warnings } = this.facts;
    const result = score(endpoint.operation, input);
    return Buffer.from(JSON.stringify(warnings.length > 0 ? { ...result, warnings } : result));
  }
}

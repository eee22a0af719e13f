import type { Operation, PaidEndpoint } from '@evenkeel/contracts';
import {
  analyzeHabits,
  analyzeReliability,
  insightsForHabits,
  planHabits,
  recommendForHabits,
  ENGINE_VERSION,
} from '@evenkeel/scoring';
import { hash } from 'node:crypto';
import { resultAnswer, type Answer } from './answer';
import { canonicalJson } from './canonical-json';
import type { Deadline } from './deadline';

/** How a call came in. Product and price are the same. */
export type Surface = 'http' | 'mcp';

export interface CallFacts {
  surface: Surface;
  endpoint: PaidEndpoint;
  /** The body as it was sent; valid for the endpoint. */
  value: unknown;
  /** The body as the engine takes it. */
  input: unknown;
  /** Members that the engine did not use or had to correct; last member of the result when not empty. */
  warnings: readonly string[];
  idempotencyKey: string | null;
  requestId: string;
  deadline: Deadline;
}

/** A valid request, paid with a payment or a credit. */
export class Call {
  readonly surface: Surface;
  readonly endpoint: PaidEndpoint;
  readonly idempotencyKey: string | null;
  readonly requestId: string;
  readonly deadline: Deadline;
  /** SHA-256, hex, of method, path and canonical body: identifies the request that is paid for. */
  readonly fingerprint: string;
  private computed?: Answer;

  constructor(private readonly facts: CallFacts) {
    this.surface = facts.surface;
    this.endpoint = facts.endpoint;
    this.idempotencyKey = facts.idempotencyKey;
    this.requestId = facts.requestId;
    this.deadline = facts.deadline;
    const { method, path } = facts.endpoint;
    const request = `${method}\n${path}\n${canonicalJson(facts.value)}`;
    this.fingerprint = hash('sha256', request);
  }

  /** The result as it is sent, computed once. */
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

/** One scoring function per paid operation. The validator has checked the body before. */
const ENGINE: Readonly<Record<Operation, (body: never) => object>> = {
  analyze: analyzeHabits,
  plan: planHabits,
  insights: insightsForHabits,
  recommend: recommendForHabits,
  reliability: analyzeReliability,
};

export function score(operation: Operation, body: unknown): object {
  return ENGINE[operation](body as never);
}

import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  PAID_ENDPOINTS,
  REBATE_TIERS,
  type Operation,
  type PaidEndpoint,
  type RebateEarned,
  type RebateTierName,
} from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import {
  analyzeHabits,
  analyzeReliability,
  insightsForHabits,
  planHabits,
  recommendForHabits,
  ENGINE_VERSION,
} from '@evenkeel/scoring';
import { canonicalJson } from './payment';

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
  /** SHA-256, hex, of method, path and canonical body. */
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

/** Status, headers and bytes of an answer, for both HTTP and MCP. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** A JSON object; without the rebate. */
  body: Buffer;
  /** Sent as the last member of the body: the only one that does not follow from the request body. */
  rebate?: RebateEarned;
  /** The signed receipt of this purchase and these bytes; sent as a header. */
  receipt?: string;
  /** The signed receipt of the bytes without the token of the rebate. */
  deliveredReceipt?: string;
}

const RECEIPT_HEADER = 'X-Evenkeel-Receipt';

/** A 200 of the agent surface; equal input gives equal bytes for one engine version (D-44). */
export function resultAnswer(body: Buffer, engineVersion: string): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Language': 'en',
      'Cache-Control': 'private, no-store',
      'Content-Digest': contentDigest(body),
      'X-Engine-Version': engineVersion,
    },
    body,
  };
}

export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Without its receipt, since the bytes change. */
export function withRebate({ receipt: _, ...answer }: Answer, rebate: RebateEarned): Answer {
  return { ...answer, rebate };
}

/** Marks every copy but the first. */
export function asReplay(answer: Answer): Answer {
  return withHeaders(answer, { 'Idempotent-Replayed': 'true' });
}

export function sent(answer: Answer): Pick<Answer, 'status' | 'headers' | 'body'> {
  const body = bytesOf(answer);
  const headers = { ...answer.headers };
  if (body !== answer.body) headers['Content-Digest'] = contentDigest(body);
  if (answer.receipt !== undefined) headers[RECEIPT_HEADER] = answer.receipt;
  return { status: answer.status, headers, body };
}

export function sentDigest(answer: Answer): string {
  return answer.rebate ? contentDigest(bytesOf(answer)) : answer.headers['Content-Digest']!;
}

function bytesOf({ body, rebate }: Pick<Answer, 'body' | 'rebate'>): Buffer {
  if (!rebate) return body;
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"rebate_earned":${JSON.stringify(rebate)}}`)]);
}

function contentDigest(body: Buffer): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}

export const REDEEM_HEADER = 'X-Agent-Credit';

interface EarnedCredit {
  token: string | null;
  faceMicros: number;
  expiresAt: Date | null;
  tier: RebateTierName;
  accruedAfterMicros: number;
}

/** The member `rebate_earned` of an answer (D-33). */
export function rebateEarned({ token, faceMicros, expiresAt, tier, accruedAfterMicros }: EarnedCredit): RebateEarned {
  return {
    credit_token: token,
    face_value: usdAmount(faceMicros),
    redeem_header: REDEEM_HEADER,
    redeemable_on: PAID_ENDPOINTS.map(({ path }) => path),
    single_use: true,
    expires_at: expiresAt?.toISOString() ?? null,
    tier,
    rate: REBATE_TIERS.find((one) => one.tier === tier)!.ratePercent / 100,
    accrued_after: usdAmount(accruedAfterMicros),
  };
}

/**
 * The answer to a repeat that does not show the key of the first request: its sender may have rebuilt the payment header from
 * public chain data.
 */
export function withoutToken(answer: Answer): Answer {
  if (!answer.rebate) return answer;
  const rebate = { ...answer.rebate, credit_token: null, delivered: true as const };
  return { ...answer, rebate, receipt: answer.deliveredReceipt };
}

/** Subtracted from every wait, so that there is time to record the outcome and to answer. */
const RESERVE_MS = 200;
/** Time for the answer itself, and its way to the caller. */
const ANSWER_MS = 100;
/** Waits last whole steps: Node keeps one list for all timers of equal length, and many lists cost a paid call some 2 %. */
const STEP_MS = 20;

/** The time is up. The awaited work goes on without the request. */
export class DeadlineExceeded extends Error {}

/** The end of a request's budget. Monotonic, so that a changed wall clock neither shortens nor lengthens it. */
export class Deadline {
  private readonly endsAt: number;

  constructor(budgetMs: number) {
    this.endsAt = performance.now() + budgetMs;
  }

  get leftMs(): number {
    return this.leftUntil(this.endsAt - RESERVE_MS);
  }

  /**
   * Waits for another party.
   * @throws DeadlineExceeded 200 ms before the end; the promise is not lost, only not awaited
   */
  within<T>(awaited: Promise<T>): Promise<T> {
    return settledIn(this.leftMs, awaited);
  }

  /** Waits for something that is not worth a late answer. @returns the fallback when it fails or the time is up */
  async withinOr<T>(awaited: Promise<T>, fallback: T): Promise<T> {
    try {
      return await this.within(awaited);
    } catch {
      return fallback;
    }
  }

  /**
   * Waits for a statement of the ledger, which may use half of the reserve.
   * @throws DeadlineExceeded 100 ms before the end
   */
  withinBudget<T>(promise: Promise<T>): Promise<T> {
    return settledIn(this.leftUntil(this.endsAt - ANSWER_MS), promise);
  }

  /** Waits, but never past the end. */
  async pause(durationMs: number): Promise<void> {
    await sleep(Math.min(durationMs, this.leftMs));
  }

  private leftUntil(end: number): number {
    return STEP_MS * Math.max(0, Math.floor((end - performance.now()) / STEP_MS));
  }
}

function settledIn<T>(durationMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded()), durationMs);
  });
  return Promise.race([promise, timeUp]).finally(() => clearTimeout(timer));
}

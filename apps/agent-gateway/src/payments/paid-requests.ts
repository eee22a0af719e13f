import type { IncomingHttpHeaders } from 'node:http';
import { PAID_ENDPOINTS, type ErrorBody, type PaidEndpoint, PROBLEMS_PATH } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { PayloadTooLarge, asProblem } from '@evenkeel/platform/http';
import {
  assertJsonContentType,
  inflateBody,
  parseJson,
  ValidationFailed,
  type IssueDetails,
} from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { type Preflight, asciiJson, Challenges, type Challenge } from '../offers/challenges';
import { type Answer, type CallFacts, Deadline, sent } from '../calls/call';
import { PaymentRefused } from '../calls/payment';
import { AddressLimits, type UnprovedAttempt } from '../limits/caller-limits';
import { AnswerCall } from './pay';
import { idempotencyKey, instrumentIn, isUnpaid } from './decode-payment';
import { RequestValidator } from './request-validator';

export interface RequestBody {
  /** As it was sent: the payment is bound to it. */
  value: unknown;
  /** As the engine takes it. */
  input: unknown;
  warnings: readonly string[];
}

/** Validates the bodies of one paid endpoint, and warns of streaks that do not fit together. */
export function requestValidator({ requestForms }: PaidEndpoint): RequestValidator {
  return new RequestValidator(requestForms, { itemWarning: staleStreak });
}

function staleStreak({ current_streak, best_streak }: Readonly<Record<string, unknown>>): string | undefined {
  const isStale = (current_streak as number) > (best_streak as number);
  return isStale ? 'current_streak is above best_streak; the larger is used.' : undefined;
}

/** Bodies of paid requests: one validator decides, for the free verdict as for the paid call. */
@Injectable()
export class RequestBodies {
  private readonly validators = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint, requestValidator(endpoint)]));

  constructor(private readonly config: AgentGatewayConfig) {}

  /** @throws PayloadTooLarge, UnsupportedMediaType, MalformedJson, ValidationFailed */
  read(endpoint: PaidEndpoint, headers: IncomingHttpHeaders, bytes: Buffer): RequestBody {
    return this.readValue(endpoint, this.parsed(headers, bytes));
  }

  /** The same for a body that is parsed already, since it came inside another one. @throws ValidationFailed */
  readValue(endpoint: PaidEndpoint, value: unknown): RequestBody {
    const validator = this.validators.get(endpoint)!;
    assertValid(validator, value);
    return { value, input: validator.input(value), warnings: validator.warnings(value) };
  }

  /** The verdict of `read`, for an unpaid request. @throws PayloadTooLarge, which comes before every other check */
  preflight(endpoint: PaidEndpoint, headers: IncomingHttpHeaders, bytes: Buffer): Preflight {
    if (bytes.length === 0) return { body_present: false };
    return this.verdict(endpoint, () => this.parsed(headers, bytes));
  }

  /** The verdict of `readValue`. */
  preflightOfValue(endpoint: PaidEndpoint, value: unknown): Preflight {
    return this.verdict(endpoint, () => value);
  }

  private verdict(endpoint: PaidEndpoint, value: () => unknown): Preflight {
    try {
      assertValid(this.validators.get(endpoint)!, value());
      return { body_present: true, valid: true };
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof PayloadTooLarge) throw error;
      const issues = error instanceof ValidationFailed ? error.details : undecodable(error);
      return { body_present: true, valid: false, ...issues };
    }
  }

  private parsed(headers: IncomingHttpHeaders, bytes: Buffer): unknown {
    const inflated = inflateBody(bytes, headers['content-encoding'], this.config.MAX_BODY_BYTES);
    assertJsonContentType(headers['content-type']);
    return parseJson(inflated);
  }
}

function assertValid(validator: RequestValidator, value: unknown): void {
  const verdict = validator.check(value);
  if (!verdict.valid) throw new ValidationFailed(verdict.issues);
}

/** A body of another type, or one that is not JSON, has one issue: the whole body. */
function undecodable({ message }: DomainError): IssueDetails {
  return { issues: [{ path: '', code: 'bad_format', message }] };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';
const NO_BODY = Buffer.alloc(0);

/** HTTP in and out of calls to the paid endpoints. */
@Injectable()
export class PaidRequests {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
    private readonly answerCall: AnswerCall,
  ) {}

  /** 402 with the offer, for methods that take no payment. */
  probe(endpoint: PaidEndpoint, request: FastifyRequest, reply: FastifyReply): void {
    this.sendChallenge(request, reply.header('allow', 'POST'), this.challenges.probed(endpoint));
  }

  /** 200 with the result; 402 with the offer; 400, 413, 415, 429, 502 in the order of docs/protocol.md. */
  answer(endpoint: PaidEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return isUnpaid(request.headers) ? this.offer(endpoint, request, reply) : this.pay(endpoint, request, reply);
  }

  /** 402 with a free verdict on the body. Most requests are these, and their senders pay nothing: they must cost next to nothing. */
  private async offer(endpoint: PaidEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { unpaid } = this.addresses;
    const status = await unpaid.take(this.addresses.callerOf(request.raw));
    if (!status.allowed) throw unpaid.refusal(status);
    const preflight = this.bodies.preflight(endpoint, request.headers, bodyOf(request));
    this.sendChallenge(request, reply.headers(unpaid.headers(status)), this.challenges.unpaid(endpoint, preflight));
  }

  private async pay(endpoint: PaidEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // From the last byte of the request: a sender who is slow takes nothing from the time in which settle may answer.
    const deadline = new Deadline(this.config.PAID_ANSWER_BUDGET_MS);
    const caller = this.addresses.callerOf(request.raw);
    // The payment or the credit may have paid for this call in an earlier request.
    request.aboutFailure = { mayBeCharged: true };
    try {
      const attempt = await this.addresses.admit(caller);
      const { status, headers, body } = sent(await this.result(endpoint, request, reply, { deadline, attempt }));
      reply.code(status).headers(headers).send(body);
    } catch (error) {
      reply.headers(await this.addresses.countUnpaid(caller, error));
      if (!(error instanceof PaymentRefused)) throw error;
      const { code, message, details, headers } = error;
      this.sendChallenge(
        request,
        reply.headers(headers),
        this.challenges.refused(endpoint, { error: code, message, details }),
      );
    }
  }

  private result(
    endpoint: PaidEndpoint,
    request: FastifyRequest,
    reply: FastifyReply,
    call: { deadline: Deadline; attempt: UnprovedAttempt },
  ): Promise<Answer> {
    const { value, input, warnings } = this.bodies.read(endpoint, request.headers, bodyOf(request));
    const facts: CallFacts = {
      surface: 'http',
      endpoint,
      value,
      input,
      warnings,
      idempotencyKey: idempotencyKey(request.headers),
      requestId: request.id,
      deadline: call.deadline,
    };
    const sayCreditRefused = (headers: Record<string, string>): void => void reply.headers(headers);
    return this.answerCall.execute(facts, instrumentIn(request.headers), call.attempt, sayCreditRefused);
  }

  /** Its text was made once for many requests. A caller that asks for a problem document gets one made for this answer. */
  private sendChallenge(request: FastifyRequest, reply: FastifyReply, { header, body }: Challenge): void {
    const isProblem = request.headers.accept?.includes(PROBLEM_TYPE);
    const problem = () => asProblem(JSON.parse(body.toString()) as ErrorBody, 402, this.config.baseUrl + PROBLEMS_PATH);
    reply
      .code(402)
      .header('payment-required', header)
      .header('content-type', isProblem ? `${PROBLEM_TYPE}; charset=utf-8` : JSON_TYPE)
      .send(isProblem ? asciiJson(JSON.stringify(problem())) : body);
  }
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return (body as Buffer | undefined) ?? NO_BODY;
}

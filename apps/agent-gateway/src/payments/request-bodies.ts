import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { PayloadTooLarge } from '@evenkeel/platform/http';
import {
  assertJsonContentType,
  inflateBody,
  parseJson,
  RequestValidator,
  ValidationFailed,
  type IssueDetails,
} from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { Preflight } from '../offers/challenges';

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

  /**
   * The same for a body that is parsed already, since it came inside another one.
   * @throws ValidationFailed
   */
  readValue(endpoint: PaidEndpoint, value: unknown): RequestBody {
    const validator = this.validators.get(endpoint)!;
    assertValid(validator, value);
    return { value, input: validator.input(value), warnings: validator.warnings(value) };
  }

  /**
   * The verdict of `read`, for an unpaid request.
   * @throws PayloadTooLarge, which comes before every other check
   */
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

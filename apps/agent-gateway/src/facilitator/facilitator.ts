import { Clock } from '@evenkeel/kernel';
import { CircuitBreaker, type CallResult } from '@evenkeel/platform/service';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { FacilitatorConnection, type Attempt } from './facilitator-connection';
import type { PaymentRequirements, X402Version } from './payment-requirements';
import {
  isUnusable,
  readSettleOutcome,
  readVerdict,
  reasonForLog,
  type Asked,
  type SettleOutcome,
  type Verdict,
} from './read-answers';

const SUPPORTED_EVERY_MS = 10 * 60_000;
const SUPPORTED_AT_MOST_EVERY_MS = 60_000;
const SUPPORTED_TIMEOUT_MS = 2_000;
/** After so long without a call, one is made to know whether there is an answer. */
const HEARD_RECENTLY_MS = 10_000;
/** For so long the last list of what it supports stands, should it not be readable. */
const SUPPORTED_STANDS_MS = 24 * 60 * 60_000;
const SERVER_ERROR = 500;
/** Longer than the time between two readings of what is supported. */
const UNUSABLE_FOR_MS = 15 * 60_000;
/** The request has a fault, which a buyer may have put into a payment: that says nothing about the settings. */
const REFUSED_STATUSES = new Set([400, 413, 422]);
/** Statuses after which the facilitator may have changed its version of the protocol. */
const MISUNDERSTOOD_STATUSES = new Set([400, 404]);

type SupportedKind = { x402Version?: unknown; scheme?: unknown; network?: unknown } | null;

export interface FacilitatorRequest {
  requirements: PaymentRequirements;
  /** JSON, members spelled as the buyer spelled them. */
  authorization: string;
  signature: string;
}

/** The body of verify and of settle. */
export function requestBody({ requirements, authorization, signature }: FacilitatorRequest): string {
  return `${requirements.head}{"signature":${JSON.stringify(signature)},"authorization":${authorization}}${requirements.tail}`;
}

/**
 * The facilitator behind `FACILITATOR_URL`; without that address every call is unavailable. Whatever it sends, or does not send,
 * becomes an outcome: nothing here throws.
 */
@Injectable()
export class Facilitator implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('facilitator');
  private readonly connection: FacilitatorConnection | null;
  private readonly verifyCircuit: CircuitBreaker;
  private version: X402Version = 1;
  private supportedReadMs = -Infinity;
  private supportedAskedMs = -Infinity;
  /** By call: when it last had an answer that only a wrong setting explains. */
  private readonly unusableMs = new Map<string, number>();
  private heard: { atMs: number; answered: boolean };
  private refresh?: NodeJS.Timeout;

  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
    private readonly metrics: GatewayMetrics,
  ) {
    const observe: GatewayMetrics['facilitatorCalled'] = (...call) => {
      metrics.facilitatorCalled(...call);
      this.hear(call[1]);
    };
    this.heard = { atMs: clock.elapsedMs(), answered: config.FACILITATOR_URL !== undefined };
    this.connection = config.FACILITATOR_URL === undefined ? null : new FacilitatorConnection(config, clock, observe);
    this.verifyCircuit = new CircuitBreaker(() => clock.elapsedMs());
    metrics.watchCircuit('facilitator_verify', this.verifyCircuit);
  }

  async onModuleInit(): Promise<void> {
    await this.readSupported();
    this.refresh = setInterval(() => void this.readSupported(), SUPPORTED_EVERY_MS);
    this.refresh.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.refresh);
    await this.connection?.close();
  }

  isAnswering(): boolean {
    if (this.connection && this.clock.elapsedMs() - this.heard.atMs >= HEARD_RECENTLY_MS) {
      this.heard.atMs = this.clock.elapsedMs();
      void this.readSupported();
    }
    const sinceMs = this.clock.elapsedMs() - UNUSABLE_FOR_MS;
    const isMisconfigured = [...this.unusableMs.values()].some((atMs) => atMs > sinceMs);
    return this.heard.answered && !isMisconfigured && !this.verifyCircuit.isOpen;
  }

  /** 2 when the facilitator lists version 2 for our chain, else 1. */
  requirementsVersion(): X402Version {
    return this.version;
  }

  /** @param caller whose payment it is, as rate limits distinguish callers; null when our own worker asks */
  async verify(request: FacilitatorRequest, caller: string | null): Promise<Verdict> {
    if (!this.connection) return { kind: 'unavailable', cause: 'FACILITATOR_URL is not set' };
    if (!this.verifyCircuit.admits(caller)) return { kind: 'unavailable', cause: 'circuit open' };

    const timeoutMs = this.config.FACILITATOR_VERIFY_TIMEOUT_MS;
    const attempt = await this.connection.call('/verify', { timeoutMs, retryConnection: true }, requestBody(request));
    this.notice('verify', attempt);
    const verdict: Verdict =
      attempt.kind === 'answer'
        ? readVerdict(attempt.status, attempt.body)
        : { kind: 'unavailable', cause: attempt.cause };
    this.verifyCircuit.record(resultOf(verdict), caller);
    return verdict;
  }

  async settle(request: FacilitatorRequest): Promise<SettleOutcome> {
    if (!this.connection) return { kind: 'silent', reason: null };
    const timeoutMs = this.config.FACILITATOR_SETTLE_TIMEOUT_MS;
    const attempt = await this.connection.call('/settle', { timeoutMs, retryConnection: false }, requestBody(request));
    this.notice('settle', attempt);
    if (attempt.kind === 'failure') return { kind: 'silent', reason: null };
    return readSettleOutcome(attempt.status, attempt.body, this.askedIn(request));
  }

  private hear(outcome: string): void {
    this.heard = { atMs: this.clock.elapsedMs(), answered: outcome !== 'no_answer' && outcome !== '5xx' };
  }

  private askedIn({ authorization }: FacilitatorRequest): Asked {
    const { from } = JSON.parse(authorization) as { from: string };
    const { shortName, caip2 } = this.terms.chain;
    return { payer: from, networks: [shortName, caip2] };
  }

  private async readSupported(): Promise<void> {
    if (!this.connection) return;
    this.supportedAskedMs = this.clock.elapsedMs();
    const attempt = await this.connection.call('/supported', {
      timeoutMs: SUPPORTED_TIMEOUT_MS,
      retryConnection: true,
    });
    const kinds = attempt.kind === 'answer' && this.kindsIn(attempt);
    const nowMs = this.clock.elapsedMs();
    if (kinds) {
      this.version = kinds.some((kind) => this.isVersionTwo(kind)) ? 2 : 1;
      this.supportedReadMs = nowMs;
    } else if (nowMs - this.supportedReadMs >= SUPPORTED_STANDS_MS) {
      this.version = 1;
    }
  }

  private kindsIn({ status, body }: Extract<Attempt, { kind: 'answer' }>): SupportedKind[] | null {
    const { kinds } = Object(body) as { kinds?: SupportedKind[] };
    const isReadable = status < 300 && Array.isArray(kinds);
    this.noteUsable('supported', status, isReadable);
    return isReadable ? kinds : null;
  }

  private isVersionTwo(kind: SupportedKind): boolean {
    return kind?.x402Version === 2 && kind.scheme === 'exact' && kind.network === this.terms.chain.caip2;
  }

  private notice(call: string, attempt: Attempt): void {
    if (attempt.kind === 'failure') {
      this.logger.warn(`${call}: ${attempt.cause}`);
      return;
    }
    this.noteUsable(call, attempt.status, !isUnusable(attempt.status, attempt.body), attempt.body !== undefined);
    const reason = reasonForLog(attempt.body);
    if (reason !== null) this.logger.warn(`${call}: ${reason}`);
    if (MISUNDERSTOOD_STATUSES.has(attempt.status) || attempt.body === undefined) this.readSupportedAgain();
  }

  private readSupportedAgain(): void {
    if (this.clock.elapsedMs() - this.supportedAskedMs >= SUPPORTED_AT_MOST_EVERY_MS) void this.readSupported();
  }

  /**
   * Answers that decide nothing are counted. Where a wrong setting is the likely cause the first one is logged, and readiness
   * says so until the call has a usable answer.
   */
  private noteUsable(call: string, status: number, isUsable: boolean, isJson = true): void {
    if (isUsable) return void this.unusableMs.delete(call);
    this.metrics.facilitatorUnusable(call, status);
    if (status >= SERVER_ERROR || (isJson && REFUSED_STATUSES.has(status))) return;
    if (!this.unusableMs.has(call)) {
      const cause = 'which decides nothing; check FACILITATOR_URL, its keys and its limits';
      this.logger.error(`${call}: the facilitator answers ${status}, ${cause}`);
    }
    this.unusableMs.set(call, this.clock.elapsedMs());
  }
}

function resultOf({ kind }: Verdict): CallResult {
  if (kind === 'unavailable') return 'failed';
  return kind === 'undecided' ? 'undecided' : 'answered';
}

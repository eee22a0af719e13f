import { Clock } from '@evenkeel/kernel';
import { CircuitBreaker, type CallResult } from '@evenkeel/platform/circuit-breaker';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { FacilitatorConnection, type Attempt } from './facilitator-connection';
import { Facilitator, type SettleOutcome, type Verdict } from './facilitator.port';
import { requestBody, type FacilitatorRequest, type X402Version } from './payment-requirements';
import { readSettleOutcome, readVerdict, reasonForLog, type Asked } from './read-answers';

const SUPPORTED_EVERY_MS = 10 * 60_000;
const SUPPORTED_AT_MOST_EVERY_MS = 60_000;
const SUPPORTED_TIMEOUT_MS = 2_000;
/** After so long without a call, one is made to know whether there is an answer. */
const HEARD_RECENTLY_MS = 10_000;
const MISCONFIGURED_STATUSES = new Set([401, 403, 404]);
/** Statuses after which the facilitator may have changed its version of the protocol. */
const MISUNDERSTOOD_STATUSES = new Set([400, 404]);

/** The facilitator behind `FACILITATOR_URL`; without that address every call is unavailable. */
@Injectable()
export class HttpFacilitator extends Facilitator implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('facilitator');
  private readonly connection: FacilitatorConnection | null;
  private readonly verifyCircuit: CircuitBreaker;
  private version: X402Version = 1;
  private supportedReadAt = 0;
  private heard: { atMs: number; answered: boolean };
  private refresh?: NodeJS.Timeout;

  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
    metrics: GatewayMetrics,
  ) {
    super();
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

  override isAnswering(): boolean {
    if (this.connection && this.clock.elapsedMs() - this.heard.atMs >= HEARD_RECENTLY_MS) {
      this.heard.atMs = this.clock.elapsedMs();
      void this.connection.get('/supported', { timeoutMs: SUPPORTED_TIMEOUT_MS, retryConnection: true });
    }
    return this.heard.answered && !this.verifyCircuit.isOpen;
  }

  override requirementsVersion(): X402Version {
    return this.version;
  }

  override async verify(request: FacilitatorRequest, caller: string | null): Promise<Verdict> {
    if (!this.connection) return { kind: 'unavailable', cause: 'FACILITATOR_URL is not set' };
    if (!this.verifyCircuit.admits(caller)) return { kind: 'unavailable', cause: 'circuit open' };

    const timeoutMs = this.config.FACILITATOR_VERIFY_TIMEOUT_MS;
    const attempt = await this.connection.post('/verify', requestBody(request), { timeoutMs, retryConnection: true });
    this.notice('verify', attempt);
    const verdict: Verdict =
      attempt.kind === 'answer'
        ? readVerdict(attempt.status, attempt.body)
        : { kind: 'unavailable', cause: attempt.cause };
    this.verifyCircuit.record(resultOf(verdict), caller);
    return verdict;
  }

  override async settle(request: FacilitatorRequest): Promise<SettleOutcome> {
    if (!this.connection) return { kind: 'silent', reason: null };
    const timeoutMs = this.config.FACILITATOR_SETTLE_TIMEOUT_MS;
    const attempt = await this.connection.post('/settle', requestBody(request), {
      timeoutMs,
      retryConnection: false,
    });
    this.notice('settle', attempt);
    if (attempt.kind === 'failure') return { kind: 'silent', reason: null };
    return readSettleOutcome(attempt.status, attempt.body, this.askedIn(request));
  }

  /** @param outcome of a call, as `CallObserver` has it */
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
    this.supportedReadAt = this.clock.now().getTime();
    const attempt = await this.connection.get('/supported', {
      timeoutMs: SUPPORTED_TIMEOUT_MS,
      retryConnection: true,
    });
    this.version = attempt.kind === 'answer' && this.listsVersionTwo(attempt.body) ? 2 : 1;
  }

  private listsVersionTwo(body: unknown): boolean {
    const kinds = (body as { kinds?: unknown } | null)?.kinds;
    if (!Array.isArray(kinds)) return false;
    return kinds.some(
      (kind: { x402Version?: unknown; scheme?: unknown; network?: unknown } | null) =>
        kind?.x402Version === 2 && kind.scheme === 'exact' && kind.network === this.terms.chain.caip2,
    );
  }

  private notice(call: string, attempt: Attempt): void {
    if (attempt.kind === 'failure') {
      this.logger.warn(`${call}: ${attempt.cause}`);
      return;
    }
    if (MISCONFIGURED_STATUSES.has(attempt.status) && !isDecision(attempt.body)) {
      this.logger.error(`${call}: the facilitator answers ${attempt.status}; check FACILITATOR_URL and its keys`);
    }
    const reason = reasonForLog(attempt.body);
    if (reason !== null) this.logger.warn(`${call}: ${reason}`);
    if (MISUNDERSTOOD_STATUSES.has(attempt.status) || attempt.body === undefined) this.readSupportedAgain();
  }

  private readSupportedAgain(): void {
    if (this.clock.now().getTime() - this.supportedReadAt >= SUPPORTED_AT_MOST_EVERY_MS) void this.readSupported();
  }
}

function resultOf({ kind }: Verdict): CallResult {
  if (kind === 'unavailable') return 'failed';
  return kind === 'undecided' ? 'undecided' : 'answered';
}

/** A 403 with a verdict is about the payment, one without is about us. */
function isDecision(body: unknown): boolean {
  const { isValid, success } = Object(body) as { isValid?: unknown; success?: unknown };
  return typeof (isValid ?? success) === 'boolean';
}

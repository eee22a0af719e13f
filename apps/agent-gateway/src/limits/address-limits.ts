import { RateLimit, RateWindows, type LimitStatus } from '@evenkeel/platform/throttling';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '@evenkeel/kernel';
import { callerOf, clientAddress } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';

/** What an address may do without paying (spec-decisions 2.3). */
@Injectable()
export class AddressLimits {
  /** Calls that ended unpaid, whatever they came with. */
  readonly unpaid: RateLimit;
  /** Free calls that are no routes of their own; they share the windows of those that are. */
  readonly free: RateLimit;
  /**
   * Calls with a payment or a credit that have not proved good. Counted apart from the rest: who has looked at too many
   * offers may still pay, and who sends forged payments may not ask about more.
   */
  private readonly unproved: RateLimit;

  constructor(
    windows: RateWindows,
    private readonly config: AgentGatewayConfig,
  ) {
    const { agentAddress, agentUnproved, discovery } = config.rates;
    this.free = new RateLimit(windows, 'discovery', { policy: 'discovery', scope: 'address', rate: discovery });
    this.unpaid = new RateLimit(windows, 'agent-unpaid', { policy: 'agent', scope: 'address', rate: agentAddress });
    this.unproved = new RateLimit(windows, 'agent-unproved', {
      policy: 'agent',
      scope: 'address',
      rate: agentUnproved,
    });
  }

  callerOf(request: IncomingMessage): string {
    return callerOf(clientAddress(request, this.config.TRUSTED_PROXY_HOPS));
  }

  /**
   * Counts a call that brings a payment or a credit, before anything else of it is looked at. In process the answer is
   * there at once, as this is the path whose cost is measured.
   * @throws RateLimited, at once or as a rejection
   */
  admit(caller: string): UnprovedAttempt | Promise<UnprovedAttempt> {
    const standing = this.unproved.take(caller);
    return standing instanceof Promise
      ? standing.then((known) => this.admitted(caller, known))
      : this.admitted(caller, standing);
  }

  /**
   * Counts a call that ended with this error, unless it was refused for its size or its number. Nobody is refused here.
   * @returns headers for the answer
   */
  async countUnpaid(caller: string, error: unknown): Promise<Record<string, string>> {
    if (error instanceof DomainError && (error.kind === 'rate_limited' || error.kind === 'too_large')) return {};
    const standing = await this.unpaid.take(caller);
    // A refused payment tells the policy of its payer; how the address stands would not go with it.
    return tellsPolicy(error) ? {} : this.unpaid.headers(standing);
  }

  private admitted(caller: string, standing: LimitStatus): UnprovedAttempt {
    if (!standing.allowed) throw this.unproved.refusal(standing);
    return new UnprovedAttempt(this.unproved, caller);
  }
}

function tellsPolicy(error: unknown): boolean {
  const { headers = {} } = error as { headers?: object };
  return 'ratelimit-policy' in headers;
}

/** One call with a payment or a credit: it counts against its address from its arrival until it has proved good. */
export class UnprovedAttempt {
  private proved = false;

  /** @param caller whose window has counted it */
  constructor(
    private readonly window: RateLimit,
    readonly caller: string,
  ) {}

  get isProved(): boolean {
    return this.proved;
  }

  /** The payment verified, the credit is good, or the ledger has what is repeated: it counts no more. Nobody waits. */
  prove(): void {
    if (this.proved) return;
    this.proved = true;
    this.window.giveBack(this.caller);
  }
}

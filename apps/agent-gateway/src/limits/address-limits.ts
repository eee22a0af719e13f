import { RateLimit, RateWindows, type LimitStatus } from '@evenkeel/platform/throttling';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '@evenkeel/kernel';
import { callerOf, clientAddress } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';

/** What an address may do without paying (spec-decisions 2.3). */
@Injectable()
export class AddressLimits {
  /** Calls that ended unpaid, also when they had a payment or a credit. */
  readonly unpaid: RateLimit;
  /** Free MCP messages. They share the windows of the free routes. */
  readonly free: RateLimit;
  /**
   * Calls with a payment or a credit that have not proved good. Counted apart from the rest: a caller that has read too many
   * offers may still pay, and a caller that sends forged payments may not have more of them verified.
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
   * Counts a call with a payment or a credit, before anything else of it is checked. With windows in process the answer is
   * there at once, since this is the path whose cost is measured.
   * @throws RateLimited, at once or as a rejection
   */
  admit(caller: string): UnprovedAttempt | Promise<UnprovedAttempt> {
    const status = this.unproved.take(caller);
    return status instanceof Promise
      ? status.then((known) => this.admitted(caller, known))
      : this.admitted(caller, status);
  }

  /**
   * Counts a call that ended with this error, unless it was too large or over a limit. Refuses nothing.
   * @returns headers for the answer
   */
  async countUnpaid(caller: string, error: unknown): Promise<Record<string, string>> {
    if (error instanceof DomainError && (error.kind === 'rate_limited' || error.kind === 'too_large')) return {};
    const status = await this.unpaid.take(caller);
    // A refused payment has the policy of its payer: headers about the address would contradict it.
    return hasPolicy(error) ? {} : this.unpaid.headers(status);
  }

  private admitted(caller: string, status: LimitStatus): UnprovedAttempt {
    if (!status.allowed) throw this.unproved.refusal(status);
    return new UnprovedAttempt(this.unproved, caller);
  }
}

function hasPolicy(error: unknown): boolean {
  const { headers = {} } = error as { headers?: object };
  return 'ratelimit-policy' in headers;
}

/** One call with a payment or a credit. It counts against its address from its arrival until it has proved good. */
export class UnprovedAttempt {
  private proved = false;

  /** @param caller the address whose window has counted it */
  constructor(
    private readonly window: RateLimit,
    readonly caller: string,
  ) {}

  get isProved(): boolean {
    return this.proved;
  }

  /** The payment verified, the credit is good, or the ledger knows the repeated call: it counts no more. Does not wait. */
  prove(): void {
    if (this.proved) return;
    this.proved = true;
    this.window.giveBack(this.caller);
  }
}

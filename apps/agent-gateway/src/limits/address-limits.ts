import type { IncomingMessage } from 'node:http';
import { DomainError } from '@evenkeel/kernel';
import { callerOf, clientAddress } from '@evenkeel/platform/http';
import { RateLimit, RateWindows } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../agent-gateway.config';

/** What an address may do without paying (spec-decisions 2.3). */
@Injectable()
export class AddressLimits {
  /** Calls that ended unpaid, whatever they came with. */
  readonly unpaid: RateLimit;
  /** Free calls that are no routes of their own; they share the windows of those that are. */
  readonly free: RateLimit;
  /**
   * Payments that the facilitator did not call valid. Counted apart from the rest: who has looked at too many offers may
   * still pay, and who sends forged payments may not ask about more.
   */
  private readonly unverified: RateLimit;

  constructor(
    windows: RateWindows,
    private readonly config: AgentGatewayConfig,
  ) {
    const terms = { policy: 'agent', scope: 'address', rate: config.rates.agentAddress } as const;
    const { discovery } = config.rates;
    this.free = new RateLimit(windows, 'discovery', { policy: 'discovery', scope: 'address', rate: discovery });
    this.unpaid = new RateLimit(windows, 'agent-unpaid', terms);
    this.unverified = new RateLimit(windows, 'agent-unverified', terms);
  }

  callerOf(request: IncomingMessage): string {
    return callerOf(clientAddress(request, this.config.TRUSTED_PROXY_HOPS));
  }

  /**
   * Counts a call that ended with this error, unless it was refused for its size or its number. Nobody is refused here.
   * @returns headers for the answer
   */
  async countUnpaid(caller: string, error: unknown): Promise<Record<string, string>> {
    if (error instanceof DomainError && (error.kind === 'rate_limited' || error.kind === 'too_large')) return {};
    return this.unpaid.headers(await this.unpaid.take(caller));
  }

  /**
   * Before the facilitator is asked.
   * @throws RateLimited
   */
  async admitPayment(caller: string): Promise<void> {
    const standing = await this.unverified.look(caller);
    if (!standing.allowed) throw this.unverified.refusal(standing);
  }

  /**
   * After the facilitator did not call a payment valid.
   * @returns the 429 in place of its refusal, when others at the same time have used up the limit
   */
  async countUnverified(caller: string): Promise<DomainError | null> {
    const standing = await this.unverified.take(caller);
    return standing.allowed ? null : this.unverified.refusal(standing);
  }
}

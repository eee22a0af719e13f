import { scaled } from '@evenkeel/platform/config';
import { RateLimit, RateWindows } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';

const RATE = { limit: 60, windowSeconds: 60 };
/** Twice as many are remembered at most: some 5 MB. */
const MAX_KNOWN = 10_000;

/** How often a payment may come again, and which calls are known to be in the ledger. */
@Injectable()
export class PaymentRepeats {
  private readonly limit: RateLimit;
  /** Identities of calls, in two generations: the older one is dropped whole. */
  private young = new Set<string>();
  private old = new Set<string>();

  constructor(windows: RateWindows, config: AgentGatewayConfig) {
    const rate = scaled(RATE, config.RATE_LIMIT_SCALE);
    this.limit = new RateLimit(windows, 'agent-repeat', { policy: 'repeat', scope: 'payment', rate });
  }

  /** Counts a repeat. @throws RateLimited */
  async take(paymentId: string): Promise<void> {
    const status = await this.limit.take(paymentId);
    if (!status.allowed) throw this.limit.refusal(status);
  }

  add(identity: string): void {
    if (this.young.size >= MAX_KNOWN) {
      this.old = this.young;
      this.young = new Set();
    }
    this.young.add(identity);
  }

  knows(identity: string): boolean {
    return this.young.has(identity) || this.old.has(identity);
  }
}

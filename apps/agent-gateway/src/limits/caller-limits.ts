import type { IncomingMessage } from 'node:http';
import { REBATE_TIERS, type RebateTierName } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { scaled } from '@evenkeel/platform/config';
import { callerOf, clientAddress, RateLimited } from '@evenkeel/platform/http';
import { RateLimit, RateWindows, type LimitStatus } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { WalletTiers } from '../ledger/wallet-tiers';

/** The limits of an address that does not pay (D-14). */
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

  /** Counts a call with a payment or a credit, before anything else of it is checked. @throws RateLimited */
  async admit(caller: string): Promise<UnprovedAttempt> {
    const status = await this.unproved.take(caller);
    if (!status.allowed) throw this.unproved.refusal(status);
    return new UnprovedAttempt(status, caller);
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
}

function hasPolicy(error: unknown): boolean {
  const { headers = {} } = error as { headers?: object };
  return 'ratelimit-policy' in headers;
}

/** One call with a payment or a credit. It uses the limit of its address from its arrival until it has proved valid. */
export class UnprovedAttempt {
  private proved = false;

  constructor(
    private readonly hit: LimitStatus,
    readonly caller: string,
  ) {}

  get isProved(): boolean {
    return this.proved;
  }

  /**
   * The payment verified and is of no other request, the credit is good, or the ledger knows the repeated call: it no longer
   * counts. Does not wait.
   */
  prove(): void {
    if (this.proved) return;
    this.proved = true;
    this.hit.giveBack();
  }
}

/** How often a wallet may buy. Counts verified payments only, so that no caller can use up the limit of another wallet (D-14). */
@Injectable()
export class WalletLimit {
  private readonly byTier: ReadonlyMap<RebateTierName, RateLimit>;

  constructor(
    windows: RateWindows,
    config: AgentGatewayConfig,
    private readonly tiers: WalletTiers,
  ) {
    const limits = REBATE_TIERS.map(({ tier, rateLimitMultiplier }) => {
      const rate = scaled(config.rates.agentWallet, rateLimitMultiplier);
      return [tier, new RateLimit(windows, 'agent-wallet', { policy: 'agent', scope: 'wallet', rate })] as const;
    });
    this.byTier = new Map(limits);
  }

  /**
   * Counts a call that the wallet pays for, with a payment or a credit. Call it before anything is written. Asks the ledger
   * for the tier only when the tier decides.
   * @param wallet lower case
   * @throws RateLimited
   */
  async take(wallet: string): Promise<LimitStatus> {
    const known = this.byTier.get(this.tiers.known(wallet) ?? 'base')!;
    let status = await known.take(wallet);
    if (status.allowed) return status;
    const limit = this.byTier.get(await this.tiers.read(wallet))!;
    if (limit !== known) status = await limit.take(wallet);
    if (!status.allowed) throw limit.refusal(status);
    return status;
  }

  /** For the answer to a counted call. After a settlement the tier is known. */
  async headers(wallet: string, status: LimitStatus): Promise<Record<string, string>> {
    const tier = this.tiers.known(wallet) ?? (await this.tiers.read(wallet));
    return this.byTier.get(tier)!.headers(status);
  }

  /** For an offer: the limit that the payer would have. Not its status: the sender of a refused payment need not own it. */
  async policyOf(wallet: string): Promise<Record<string, string>> {
    return this.byTier.get(await this.tiers.read(wallet))!.policyHeader;
  }
}

/** The refusal of a call that the ledger does not know: it states that nothing was charged. */
export function uncharged(error: unknown): unknown {
  if (!(error instanceof RateLimited)) return error;
  const { details, retryAfterSeconds, headers } = error;
  return new RateLimited({ ...details, charged: false }, retryAfterSeconds, headers);
}

const RATE = { limit: 60, windowSeconds: 60 };
/** When more are known, all are forgotten: each is looked up again after one verify. Some 5 MB. */
const MAX_KNOWN = 20_000;

/** How often a payment may come again, and which calls are known to be in the ledger. */
@Injectable()
export class PaymentRepeats {
  private readonly limit: RateLimit;
  /** Identities of calls. */
  private readonly known = new Set<string>();

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
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.add(identity);
  }

  knows(identity: string): boolean {
    return this.known.has(identity);
  }
}

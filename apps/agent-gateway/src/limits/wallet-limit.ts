import { REBATE_TIERS, type RebateTierName } from '@evenkeel/contracts';
import { scaled } from '@evenkeel/platform/config';
import { RateLimited } from '@evenkeel/platform/http';
import { RateLimit, RateWindows, type LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { WalletTiers } from '../ledger/wallet-tiers';

/** How often a wallet may buy. Counts verified payments only, so that nobody can use up the limit of another wallet (D-14). */
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
  headers(wallet: string, status: LimitStatus): Record<string, string> | Promise<Record<string, string>> {
    const headersIn = (tier: RebateTierName) => this.byTier.get(tier)!.headers(status);
    const known = this.tiers.known(wallet);
    return known ? headersIn(known) : this.tiers.read(wallet).then(headersIn);
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

import { REBATE_TIERS, type RebateTierName } from '@evenkeel/contracts';
import { scaled } from '@evenkeel/platform/config';
import { RateLimited } from '@evenkeel/platform/http';
import { RateLimit, RateWindows, type LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { WalletTiers } from '../ledger/wallet-tiers';

/** What a wallet may buy: of verified payments only, so that nobody can use up the allowance of another (D-14). */
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
   * Counts a call that the wallet pays for, with a payment or a credit. Call it before anything is written. The ledger is
   * asked for the tier only where the tier decides.
   * @param wallet lower case
   * @throws RateLimited
   */
  async take(wallet: string): Promise<LimitStatus> {
    const known = this.byTier.get(this.tiers.known(wallet) ?? 'base')!;
    let standing = await known.take(wallet);
    if (standing.allowed) return standing;
    const limit = this.byTier.get(await this.tiers.read(wallet))!;
    if (limit !== known) standing = await limit.take(wallet);
    if (!standing.allowed) throw limit.refusal(standing);
    return standing;
  }

  /** For the answer to a call that was counted: a payment has told the tier when it settled. */
  headers(wallet: string, standing: LimitStatus): Record<string, string> | Promise<Record<string, string>> {
    const headersIn = (tier: RebateTierName) => this.byTier.get(tier)!.headers(standing);
    const known = this.tiers.known(wallet);
    return known ? headersIn(known) : this.tiers.read(wallet).then(headersIn);
  }

  /** For an offer: what the payer would get. Not how the wallet stands: who sends a refused payment need not own it. */
  async policyOf(wallet: string): Promise<Record<string, string>> {
    return this.byTier.get(await this.tiers.read(wallet))!.policyHeader;
  }
}

/** The refusal of a call of which the ledger knows nothing. */
export function uncharged(error: unknown): unknown {
  if (!(error instanceof RateLimited)) return error;
  const { details, retryAfterSeconds, headers } = error;
  return new RateLimited({ ...details, charged: false }, retryAfterSeconds, headers);
}

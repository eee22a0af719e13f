import { PAID_ENDPOINTS, REBATE_TIERS } from '@evenkeel/contracts';
import { MICROS_PER_USD, usdAmount } from '@evenkeel/kernel';
import { REDEEM_HEADER } from '../calls/call';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { PaymentTerms } from '../config/payment-terms';

/** `GET /agent/v1/pricing` without the wallet. */
export function priceList(config: AgentGatewayConfig, terms: PaymentTerms, offerDigest: string) {
  const { CREDIT_FACE_MICROS: creditFaceMicros, PAID_ANSWER_BUDGET_MS: timeoutMs, rates } = config;
  const walletRate = rates.agentWallet;
  const { chain, asset, assetName, payTo } = terms;
  return {
    currency: 'USD',
    payment: {
      protocol: 'x402',
      x402_version: 1,
      scheme: 'exact',
      network: chain.caip2,
      asset,
      asset_symbol: asset === chain.usdc.address ? 'USDC' : assetName,
      asset_decimals: chain.usdc.decimals,
      pay_to: payTo,
    },
    offer_digest: offerDigest,
    billing_unit: 'request',
    endpoints: PAID_ENDPOINTS.map(({ path, method, priceMicros, maxItems, capabilities }) => ({
      endpoint: path,
      method,
      price: priceOf(priceMicros),
      max_items: maxItems,
      timeout_ms: timeoutMs,
      capabilities,
    })),
    rebate: {
      basis: 'lifetime_verified_spend',
      paid_as: 'single_use_call_credit',
      credit_face_value: usdAmount(creditFaceMicros),
      redeem_header: REDEEM_HEADER,
      tiers: REBATE_TIERS.map(({ tier, fromMicros, ratePercent, rateLimitMultiplier }) => ({
        tier,
        from_usd: fromMicros / MICROS_PER_USD,
        rate: ratePercent / 100,
        rate_limit_multiplier: rateLimitMultiplier,
      })),
    },
    rate_limit: { requests: walletRate.limit, window_seconds: walletRate.windowSeconds },
  };
}

function priceOf(priceMicros: number) {
  const { usd: amount_usd, usd_exact: amount_usd_exact } = usdAmount(priceMicros);
  return { amount_usd, amount_usd_exact, amount_atomic: String(priceMicros) };
}

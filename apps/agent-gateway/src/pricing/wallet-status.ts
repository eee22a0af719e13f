import type { IncomingHttpHeaders } from 'node:http';
import { REBATE_TIERS, rebateTierAt } from '@evenkeel/contracts';
import { Clock, MICROS_PER_USD, readMicros, usdAmount } from '@evenkeel/kernel';
import { poolOf } from '@evenkeel/platform/persistence';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { getAddress } from 'viem';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { readLedger } from '../ledger/find-payments';
import { decodePayment, paymentHeader } from '../payments/decode-payment';
import { addressIn } from '../payments/find-payment-status';

const READ_STATUS = {
  name: 'wallet-status',
  text: `
    SELECT w.settled_micros, w.accrued_micros, count(c.id)::integer AS issued, count(c.redeemed_at)::integer AS redeemed,
      (count(c.id) FILTER (WHERE c.redeemed_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > $2)))::integer
        AS outstanding
    FROM wallets w LEFT JOIN credits c ON c.payer = w.address WHERE w.address = $1 GROUP BY w.address`,
};

interface Row {
  settled_micros: string;
  accrued_micros: string;
  issued: number;
  redeemed: number;
  outstanding: number;
}

const UNSEEN: Row = { settled_micros: '0', accrued_micros: '0', issued: 0, redeemed: 0, outstanding: 0 };

/** The status of a wallet: its tier, what it has accrued, how many credits it was given. Never shows a token. */
@Injectable()
export class WalletStatus {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** @param address checksummed */
  async of(address: string): Promise<object> {
    const values = [address.toLowerCase(), this.clock.now()];
    const { rows } = await readLedger(poolOf(this.dataSource).query<Row>({ ...READ_STATUS, values }));
    const { settled_micros, accrued_micros, issued, redeemed, outstanding } = rows[0] ?? UNSEEN;
    const settledMicros = readMicros(settled_micros);
    const { tier, ratePercent, rateLimitMultiplier } = rebateTierAt(settledMicros);
    const { limit, windowSeconds } = this.config.rates.agentWallet;
    return {
      address,
      known: rows.length > 0,
      verified: false,
      tier,
      rate: ratePercent / 100,
      lifetime_spend: usdAmount(settledMicros),
      next_tier: nextTier(settledMicros),
      accrued_rebate: usdAmount(readMicros(accrued_micros)),
      credits: { issued, redeemed, outstanding },
      rate_limit: { requests: limit * rateLimitMultiplier, window_seconds: windowSeconds },
    };
  }
}

/** Null at the top. */
function nextTier(settledMicros: number): object | null {
  const next = REBATE_TIERS.find(({ fromMicros }) => fromMicros > settledMicros);
  if (!next) return null;
  const { tier, fromMicros } = next;
  return { tier, from_usd: fromMicros / MICROS_PER_USD, remaining: usdAmount(fromMicros - settledMicros) };
}

/**
 * The wallet that a caller says is its own: the payer of a payment header, `X-Wallet-Address`, or the query, in this order.
 * A payment is decoded and never verified: the address is claimed, not proven.
 * @returns checksummed; null when there is no hint
 * @throws ValidationFailed for one that is not an address
 */
export function walletHint(headers: IncomingHttpHeaders, query: unknown): string | null {
  const payment = paymentHeader(headers);
  if (payment !== null) return payerOf(payment);
  const hints = [headers['x-wallet-address'], query].filter((hint) => hint !== undefined);
  const [first = null] = hints.map((hint) => addressIn(hint, '/wallet'));
  return first;
}

function payerOf(header: string): string {
  try {
    return getAddress(decodePayment(header).payer);
  } catch {
    const message = 'must be a complete payment header';
    throw new ValidationFailed([{ path: '/payment', code: 'bad_format', message }]);
  }
}

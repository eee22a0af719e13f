import { PAID_ENDPOINTS } from '@evenkeel/contracts';

export const WINDOWS = [1, 2, 7, 30, 45, 365];
/** Null for all of them together. */
export const SCOPES: readonly (string | null)[] = [null, ...PAID_ENDPOINTS.map(({ path }) => path)];

/** Every figure that answers are made of. Numbers are texts, so that equal means equal to the last digit. */
export interface LedgerFigures {
  /** Keyed by days and endpoint. */
  windows: Record<string, WindowFigures>;
  /** Distinct payers, keyed by day and endpoint. */
  dailyPayers: Record<string, string>;
  wallets: Record<string, WalletFigures>;
  tiers: Record<string, string>;
  settlements: Record<string, string>;
  credits: { issued: string; redeemed: string; outstanding: string; face: string; price: string };
}

export interface WindowFigures {
  gross: string;
  cost: string;
  paidCalls: string;
  creditCalls: string;
  redeemed: string;
  payers: string;
  lastCallAt: string | null;
}

export interface WalletFigures {
  tier: string | null;
  lifetime: string;
  paidCalls: string;
  creditCalls: string;
  firstAt: string | null;
  lastAt: string | null;
  accrued: string;
  issued: string;
  outstanding: string;
}

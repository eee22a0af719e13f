/** The projection, and what says how much of the stream is in it. Everything here is made of events alone. */
export const EMPTIED_TABLES = [
  ...['payments', 'credits'],
  ...['daily_totals', 'daily_payers', 'daily_payer_counts', 'wallet_last_days', 'payers_by_last_day'],
  ...['wallet_totals', 'wallet_months', 'tier_totals', 'credit_totals', 'credit_days', 'settlement_totals'],
  ...['inbox', 'inbox_positions', 'parked'],
] as const;

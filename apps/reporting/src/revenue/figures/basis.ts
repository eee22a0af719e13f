/**
 * On which day a payment counts: on that of its call (the default), or on that of its settlement, so that a period that is
 * over changes no more. A served call whose payment failed costs on the day of its call, or of the failure. Credits count on
 * the day they are redeemed, in both.
 */
export const BASES = ['call', 'settlement'] as const;
export type Basis = (typeof BASES)[number];

/** The columns of rollups that count on a basis. */
export const COLUMNS = {
  call: {
    ...{ gross: 'gross_micros', cost: 'cost_micros', paid: 'paid_calls', lastAt: 'last_call_at' },
    ...{ payers: 'payers', newPayers: 'new_payers', wallets: 'wallets', hours: 'call_hours' },
    /** Instant of a payment. */
    at: 'verified_at',
  },
  settlement: {
    ...{ gross: 'settled_gross_micros', cost: 'settled_cost_micros', paid: 'settled_calls', lastAt: 'settled_last_at' },
    ...{
      payers: 'settled_payers',
      newPayers: 'settled_new_payers',
      wallets: 'settled_wallets',
      hours: 'settled_hours',
    },
    at: 'coalesce(settled_at, failed_at)',
  },
} as const satisfies Record<Basis, Record<string, string>>;

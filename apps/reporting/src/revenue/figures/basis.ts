/**
 * On which day a payment is summed: on that of its call (the default), or on that of its settlement, so that a period that is
 * over changes no more. A served call whose payment failed costs on the day of its call, or of the failure. Credits are on the
 * day they are redeemed, in both.
 */
export const BASES = ['call', 'settlement'] as const;
export type Basis = (typeof BASES)[number];

/** The columns of the sums on a basis; wallets have only `gross` and `paid`. */
export const COLUMNS = {
  call: {
    gross: 'gross_micros',
    cost: 'cost_micros',
    paid: 'paid_calls',
    lastAt: 'last_call_at',
    /** Instant of a payment. */
    at: 'verified_at',
  },
  settlement: {
    gross: 'settled_gross_micros',
    cost: 'settled_cost_micros',
    paid: 'settled_calls',
    lastAt: 'settled_last_at',
    at: 'coalesce(settled_at, failed_at)',
  },
} as const satisfies Record<Basis, Record<string, string>>;

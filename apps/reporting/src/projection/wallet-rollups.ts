const monthOf = (instant: string): string => `date_trunc('month', ${instant} AT TIME ZONE 'UTC')::date`;

// A wallet never loses a tier, and the names sort as the tiers do: the highest name is the present tier.
const walletTotals = `
  wallets AS (
    INSERT INTO wallet_totals AS t (wallet, tier, lifetime_micros, paid_calls, first_payment_at, last_payment_at,
      rebate_earned_micros)
    SELECT wallet, max(tier), sum(amount_micros), count(*), min(verified_at), max(verified_at), sum(rebate_micros)
    FROM paid GROUP BY wallet
    ON CONFLICT (wallet) DO UPDATE SET
      tier = greatest(t.tier, excluded.tier), lifetime_micros = t.lifetime_micros + excluded.lifetime_micros,
      paid_calls = t.paid_calls + excluded.paid_calls,
      first_payment_at = least(t.first_payment_at, excluded.first_payment_at),
      last_payment_at = greatest(t.last_payment_at, excluded.last_payment_at),
      rebate_earned_micros = t.rebate_earned_micros + excluded.rebate_earned_micros
    RETURNING new.wallet, old.tier AS tier_before, new.tier, ${monthOf('new.first_payment_at')} AS cohort,
      ${monthOf('old.first_payment_at')} AS cohort_before
  )`;

const walletMonths = `
  months AS (
    INSERT INTO wallet_months AS t (month, wallet, paid_calls, gross_micros)
    SELECT date_trunc('month', day)::date AS month, wallet, count(*), sum(amount_micros) FROM paid GROUP BY month, wallet
    ON CONFLICT (month, wallet) DO UPDATE SET
      paid_calls = t.paid_calls + excluded.paid_calls, gross_micros = t.gross_micros + excluded.gross_micros
    RETURNING new.wallet, new.month, (old.month IS NULL)::integer AS wallets,
      new.paid_calls - coalesce(old.paid_calls, 0) AS paid_calls,
      new.gross_micros - coalesce(old.gross_micros, 0) AS gross_micros
  )`;

// An earlier first payment that comes late moves all that was known of its wallet to another cohort. OFFSET keeps the look
// into the index for each such wallet: joined otherwise, all months of all wallets would be read.
const cohortMonths = `
  cohorts AS (
    INSERT INTO cohort_months AS t (cohort, month, wallets, paid_calls, gross_micros)
    SELECT cohort, month, sum(wallets), sum(paid_calls), sum(gross_micros) FROM (
      SELECT w.cohort, m.month, m.wallets, m.paid_calls, m.gross_micros FROM months m JOIN wallets w USING (wallet)
      UNION ALL
      SELECT place.cohort, known.month, place.sign, place.sign * known.paid_calls, place.sign * known.gross_micros
      FROM wallets w,
        LATERAL (
          SELECT month, paid_calls, gross_micros FROM wallet_months m
          WHERE m.wallet = w.wallet AND m.month >= w.cohort_before OFFSET 0
        ) AS known,
        LATERAL (VALUES (w.cohort, 1), (w.cohort_before, -1)) AS place (cohort, sign)
      WHERE w.cohort < w.cohort_before
    ) moved GROUP BY cohort, month
    ON CONFLICT (cohort, month) DO UPDATE SET
      wallets = t.wallets + excluded.wallets, paid_calls = t.paid_calls + excluded.paid_calls,
      gross_micros = t.gross_micros + excluded.gross_micros
  )`;

const tierTotals = `
  tiers AS (
    INSERT INTO tier_totals AS t (tier, wallets)
    SELECT tier, sum(wallets) FROM (
      SELECT tier, 1 AS wallets FROM wallets UNION ALL SELECT tier_before, -1 FROM wallets
    ) moved WHERE tier IS NOT NULL GROUP BY tier HAVING sum(wallets) <> 0
    ON CONFLICT (tier) DO UPDATE SET wallets = t.wallets + excluded.wallets
  )`;

/** Parts of the statement that applies payments: what wallets have spent. They read `paid`, the payments that became revenue. */
export const WALLET_ROLLUPS = [walletTotals, walletMonths, cohortMonths, tierTotals] as const;

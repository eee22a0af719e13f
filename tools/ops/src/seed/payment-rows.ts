import { CHAINS, CREDIT_FACE_MICROS, PAID_ENDPOINTS, REBATE_TIERS } from '@evenkeel/contracts';

const [{ chainId, usdc }] = CHAINS as [(typeof CHAINS)[number]];
const COST_MICROS = 400;

const texts = (values: readonly string[]): string => `ARRAY['${values.join(`', '`)}']`;
const PATHS = texts(PAID_ENDPOINTS.map(({ path }) => path));
const PRICES = `ARRAY[${PAID_ENDPOINTS.map(({ priceMicros }) => priceMicros).join()}]`;
const TIERS = texts(REBATE_TIERS.map(({ tier }) => tier));
const TIERS_FROM = `ARRAY[${REBATE_TIERS.map(({ fromMicros }) => fromMicros).join()}]::bigint[]`;
const TIER_PERCENTS = `ARRAY[${REBATE_TIERS.map(({ ratePercent }) => ratePercent).join()}]`;

/**
 * So many payments ($3) between two instants ($1, $2), three times as many at the end as at the beginning. As Zipf's law
 * has it, the wallet of rank r of all ($4) calls as often as 1/r. Payments that wait for settlement are young; old ones have
 * been closed by a person. Tier and rebate are those of the gateway.
 */
export const ADD_PAYMENTS = `
  INSERT INTO payments (id, nonce, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status, verified_at,
    settled_at, failed_at, served, reason, tier, rebate_micros, attributed_cost_micros, request_id)
  WITH drawn AS MATERIALIZED (
    SELECT number, random() AS fate, random() < 0.3 AS is_lucky, random() < 0.00005 AS is_without_hash,
      width_bucket(random(), ARRAY[0, 0.45, 0.55, 0.75, 0.9]::float8[]) AS endpoint,
      least($4::integer, floor(exp(random() * ln($4 + 1)))) AS wallet,
      300 * interval '1 ms' + floor(1200 * random()) * interval '1 ms' AS took,
      date_trunc('milliseconds',
        $1::timestamptz + ($2::timestamptz - $1) * (sqrt(1 + 8 * (number - random()) / $3::integer) - 1) / 2) AS at
    FROM generate_series(1, $3) AS number
  ),
  ended AS (
    SELECT *, pg_temp.made_id(at, $5::text, number::text) AS id, '0x' || encode(sha224(concat(wallet, '/', $5)::bytea), 'hex') AS holder,
      CASE
        WHEN at + took >= $2 THEN 'settlement_pending'
        WHEN fate < 0.002 THEN 'settlement_failed'
        WHEN fate < 0.012 AND at > $2 - interval '10 minutes' THEN 'settlement_pending'
        WHEN fate < 0.0125 AND at > $2 - interval '48 hours' THEN 'needs_reconciliation'
        ELSE 'settled'
      END AS status, (${PRICES})[endpoint] AS price
    FROM drawn
  ),
  settled AS (
    SELECT *, status = 'settled' AS is_settled, width_bucket(
      (sum(price) FILTER (WHERE status = 'settled') OVER (PARTITION BY wallet ORDER BY at, number))::bigint, ${TIERS_FROM}) AS tier
    FROM ended
  )
  SELECT id, '0x' || encode(sha256(id::text::bytea), 'hex'), left(holder, 42), (${PATHS})[endpoint], price, ${chainId},
    '${usdc.address.toLowerCase()}', CASE WHEN is_settled AND NOT is_without_hash THEN '0x' || encode(sha256(holder::bytea || id::text::bytea), 'hex') END,
    status, at, CASE WHEN is_settled THEN at + took END, CASE status WHEN 'settlement_failed' THEN at + took END,
    is_settled OR is_lucky, CASE status WHEN 'settlement_failed' THEN 'insufficient_funds' END,
    CASE WHEN is_settled THEN (${TIERS})[tier] END, CASE WHEN is_settled THEN price * (${TIER_PERCENTS})[tier] / 100 ELSE 0 END,
    ${COST_MICROS}, 'seed-' || id
  FROM settled ORDER BY at, number`;

/** Those that were announced, but for settled. */
export const ADD_STATES = `
  INSERT INTO payment_states (payment_id, state, at, transaction_hash, reason)
  SELECT id, status, coalesce(failed_at, verified_at), transaction_hash, reason FROM payments WHERE status <> 'settled'`;

/**
 * A credit whenever what a wallet has earned, with the change of its credits before, comes to the face of one. Each wallet
 * spends its credits on one endpoint, halfway to the next one, and has the last one left.
 */
export const ADD_CREDITS = `
  INSERT INTO credits (id, wallet, face_micros, payment_id, tier, issued_at, endpoint, price_micros, change_micros,
    attributed_cost_micros, redeemed_at, request_id)
  WITH earned AS (
    SELECT id, wallet, tier, settled_at, rebate_micros AS rebate,
      (sum(rebate_micros) OVER (PARTITION BY wallet ORDER BY settled_at, id) - ${CREDIT_FACE_MICROS})::bigint AS beyond,
      1 + ('x' || substr(wallet, 3, 6))::bit(24)::integer % ${PAID_ENDPOINTS.length} AS endpoint
    FROM payments WHERE rebate_micros > 0
  ),
  issued AS (
    SELECT *, pg_temp.made_id(settled_at, 'credit', id::text) AS credit_id, (${PRICES})[endpoint] AS price,
      lead(settled_at) OVER (PARTITION BY wallet ORDER BY settled_at, id) AS next_at
    FROM earned
    WHERE beyond >= 0 AND (beyond < rebate OR beyond / (${PRICES})[endpoint] > (beyond - rebate) / (${PRICES})[endpoint])
  )
  SELECT credit_id, wallet, ${CREDIT_FACE_MICROS}, id, tier, settled_at, CASE WHEN is_spent THEN (${PATHS})[endpoint] END,
    CASE WHEN is_spent THEN price END, CASE WHEN is_spent THEN ${CREDIT_FACE_MICROS} - price END,
    CASE WHEN is_spent THEN ${COST_MICROS} END, date_trunc('milliseconds', settled_at + (next_at - settled_at) / 2),
    CASE WHEN is_spent THEN 'seed-' || credit_id END
  FROM issued, LATERAL (SELECT next_at IS NOT NULL AS is_spent) AS spending`;

import { PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import { queryPrepared } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { PAYERS_BY_GAP } from './payers-by-gap';
import { WALLET_ROLLUPS } from './wallet-rollups';

export const PAYMENT_EVENTS = [PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending] as const;

type PaymentData = PaymentSettled | PaymentSettlementFailed | PaymentSettlementPending;

/**
 * Parts of the statement that applies payments. They read `changed` (every payment whose status moved: cost_micros as it is
 * now, cost_undone as it was counted before, failed_before) and `paid` (those of them that became revenue).
 */

const dayOf = (instant: string): string => `(${instant} AT TIME ZONE 'UTC')::date`;
const hourBit = (instant: string): string => `(1 << date_part('hour', ${instant} AT TIME ZONE 'UTC')::integer)`;

// A payment counts at two instants: at its call, and where it ended. A failed one that settles after all counts as if it
// had never failed.
const entries = `
  entries AS (
    SELECT * FROM (
      SELECT verified_at AS at, endpoint, is_paid * amount_micros AS gross, cost_micros - cost_undone AS cost,
        is_paid AS paid, 0 AS settled_gross, 0 AS settled_cost, 0 AS settled_calls,
        CASE is_paid WHEN 1 THEN verified_at END AS called_at, NULL::timestamptz AS ended_at
      FROM changed
      UNION ALL
      SELECT coalesce(settled_at, failed_at), endpoint, 0, 0, 0, is_paid * amount_micros, cost_micros, is_paid, NULL,
        settled_at
      FROM changed
      UNION ALL
      SELECT failed_before, endpoint, 0, 0, 0, 0, -cost_undone, 0, NULL, NULL FROM changed
    ) counted
    WHERE paid <> 0 OR cost <> 0 OR settled_calls <> 0 OR settled_cost <> 0
  ),
  sums AS (
    SELECT date_trunc('hour', at, 'UTC') AS hour, endpoint, sum(gross) AS gross, sum(cost) AS cost, sum(paid) AS paid,
      sum(settled_gross) AS settled_gross, sum(settled_cost) AS settled_cost, sum(settled_calls) AS settled_calls,
      max(called_at) AS called_at, max(ended_at) AS ended_at
    FROM entries GROUP BY hour, endpoint
  )`;

const dailyTotals = `
  daily AS (
    INSERT INTO daily_totals AS t (day, endpoint, gross_micros, cost_micros, paid_calls, last_call_at,
      settled_gross_micros, settled_cost_micros, settled_calls, settled_last_at)
    SELECT ${dayOf('hour')} AS day, endpoint, sum(gross), sum(cost), sum(paid), max(called_at), sum(settled_gross),
      sum(settled_cost), sum(settled_calls), max(ended_at)
    FROM sums GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET
      gross_micros = t.gross_micros + excluded.gross_micros, cost_micros = t.cost_micros + excluded.cost_micros,
      paid_calls = t.paid_calls + excluded.paid_calls, last_call_at = greatest(t.last_call_at, excluded.last_call_at),
      settled_gross_micros = t.settled_gross_micros + excluded.settled_gross_micros,
      settled_cost_micros = t.settled_cost_micros + excluded.settled_cost_micros,
      settled_calls = t.settled_calls + excluded.settled_calls,
      settled_last_at = greatest(t.settled_last_at, excluded.settled_last_at)
  )`;

const lowest = (bits: string): string => `(${bits} & -${bits})`;
const bitAt = (bits: string): string => `(${bits} >> h & 1)`;

// A wallet is new in the first hour of the day in which it paid; an earlier one that comes late takes its place.
// In `moved` alone, which is made once: joined otherwise, all rows would be compared again for each hour.
const hourlyTotals = `
  moved AS MATERIALIZED (
    SELECT * FROM present WHERE call_hours <> call_before OR settled_hours <> settled_before
  ),
  hourly AS (
    INSERT INTO hourly_totals AS t (hour, endpoint, gross_micros, cost_micros, paid_calls, payers, new_payers,
      settled_gross_micros, settled_cost_micros, settled_calls, settled_payers, settled_new_payers)
    SELECT hour, endpoint, sum(gross), sum(cost), sum(paid), sum(payers), sum(new_payers), sum(settled_gross), sum(settled_cost),
      sum(settled_calls), sum(settled_payers), sum(settled_new_payers)
    FROM (
      SELECT hour, scope AS endpoint, gross, cost, paid, 0 AS payers, 0 AS new_payers, settled_gross,
        settled_cost, settled_calls, 0 AS settled_payers, 0 AS settled_new_payers
      FROM sums, LATERAL (VALUES (endpoint), ('')) AS scopes (scope)
      UNION ALL
      SELECT (day + make_interval(hours => h)) AT TIME ZONE 'UTC', endpoint, 0, 0, 0,
        ${bitAt('(call_hours & ~call_before)')}, ${bitAt(lowest('call_hours'))} - ${bitAt(lowest('call_before'))}, 0, 0, 0,
        ${bitAt('(settled_hours & ~settled_before)')},
        ${bitAt(lowest('settled_hours'))} - ${bitAt(lowest('settled_before'))}
      FROM moved, generate_series(0, 23) AS h
      WHERE ${bitAt(`((call_hours # call_before) | (settled_hours # settled_before) | ${lowest('call_before')} | ${lowest('settled_before')})`)} = 1
    ) counted
    GROUP BY hour, endpoint
    ON CONFLICT (hour, endpoint) DO UPDATE SET
      gross_micros = t.gross_micros + excluded.gross_micros, cost_micros = t.cost_micros + excluded.cost_micros,
      paid_calls = t.paid_calls + excluded.paid_calls, payers = t.payers + excluded.payers,
      new_payers = t.new_payers + excluded.new_payers,
      settled_gross_micros = t.settled_gross_micros + excluded.settled_gross_micros,
      settled_cost_micros = t.settled_cost_micros + excluded.settled_cost_micros,
      settled_calls = t.settled_calls + excluded.settled_calls,
      settled_payers = t.settled_payers + excluded.settled_payers,
      settled_new_payers = t.settled_new_payers + excluded.settled_new_payers
  )`;

const lateSettlements = `
  late AS (
    INSERT INTO late_settlements AS t (called, ended, paid_calls, gross_micros, cost_micros)
    SELECT called, ended, sum(paid), sum(gross), sum(cost) FROM (
      SELECT ${dayOf('verified_at')} AS called, ${dayOf('coalesce(settled_at, failed_at)')} AS ended, is_paid AS paid,
        is_paid * amount_micros AS gross, cost_micros AS cost
      FROM changed
      UNION ALL
      SELECT ${dayOf('verified_at')}, ${dayOf('failed_before')}, 0, 0, -cost_undone FROM changed
    ) counted
    WHERE ended > called AND (paid <> 0 OR cost <> 0) GROUP BY called, ended
    ON CONFLICT (called, ended) DO UPDATE SET
      paid_calls = t.paid_calls + excluded.paid_calls, gross_micros = t.gross_micros + excluded.gross_micros,
      cost_micros = t.cost_micros + excluded.cost_micros
  )`;

// Endpoint '' means all endpoints. A row says on which day a wallet paid, with a bit for each hour, by call and by
// settlement. What it paid is summed in its row of all endpoints alone: another row is written in an hour that is new to it,
// and each column that is ranked makes a write cost an entry in every index.
const presence = `
  present AS (
    INSERT INTO daily_payers AS t (endpoint, wallet, day, call_hours, settled_hours, paid_calls, gross_micros)
    SELECT scope, wallet, day, bit_or(call_hour), bit_or(settled_hour), sum(calls * summed),
      sum(gross * summed)
    FROM (
      SELECT endpoint, wallet, day, ${hourBit('verified_at')} AS call_hour,
        CASE settled_day WHEN day THEN ${hourBit('settled_at')} ELSE 0 END AS settled_hour, 1 AS calls, amount_micros AS gross
      FROM paid
      UNION ALL
      SELECT endpoint, wallet, settled_day, 0, ${hourBit('settled_at')}, 0, 0 FROM paid WHERE settled_day <> day
    ) instants, LATERAL (VALUES (endpoint, 0), ('', 1)) AS scopes (scope, summed)
    GROUP BY scope, wallet, day
    ON CONFLICT (endpoint, wallet, day) DO UPDATE SET
      call_hours = t.call_hours | excluded.call_hours, settled_hours = t.settled_hours | excluded.settled_hours,
      paid_calls = t.paid_calls + excluded.paid_calls, gross_micros = t.gross_micros + excluded.gross_micros
    WHERE excluded.paid_calls <> 0 OR excluded.call_hours & ~t.call_hours <> 0
      OR excluded.settled_hours & ~t.settled_hours <> 0
    RETURNING new.endpoint, new.wallet, new.day, new.call_hours, new.settled_hours,
      coalesce(old.call_hours, 0) AS call_before, coalesce(old.settled_hours, 0) AS settled_before
  ),
  arrived AS (
    SELECT true AS by_call, endpoint, wallet, day FROM present WHERE call_before = 0 AND call_hours <> 0
    UNION ALL
    SELECT false, endpoint, wallet, day FROM present WHERE settled_before = 0 AND settled_hours <> 0
  )`;

const neighbour = (nearest: 'max' | 'min', side: '<' | '>'): string => `
      (SELECT ${nearest}(p.day) FROM daily_payers p
       WHERE p.endpoint = a.endpoint AND p.wallet = a.wallet AND p.day ${side} a.day
         AND CASE WHEN by_call THEN call_hours ELSE settled_hours END <> 0)`;

// The days on which a wallet paid are a chain. `earlier` and `later` are its neighbours before this statement, whose own
// rows it does not see; `previous` and `following` are those among its own rows.
const chain = `
  placed AS (
    SELECT *, ${neighbour('max', '<')} AS earlier, ${neighbour('min', '>')} AS later FROM arrived a
  ),
  linked AS (
    SELECT *, lag(day) OVER days AS previous, lead(day) OVER days AS following
    FROM placed WINDOW days AS (PARTITION BY by_call, endpoint, wallet ORDER BY day)
  ),
  links AS (
    SELECT by_call, endpoint, greatest(earlier, previous) AS previous, day, 1 AS wallets FROM linked
    UNION ALL
    SELECT by_call, endpoint, link.previous, later, link.wallets
    FROM linked, LATERAL (VALUES (day, 1), (earlier, -1)) AS link (previous, wallets)
    WHERE later < coalesce(following, 'infinity')
  )`;

const payerCounts = `
  payers AS (
    INSERT INTO daily_payer_counts AS t (day, endpoint, payers, settled_payers)
    SELECT day, endpoint, count(*) FILTER (WHERE by_call), count(*) FILTER (WHERE NOT by_call)
    FROM arrived GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET
      payers = t.payers + excluded.payers, settled_payers = t.settled_payers + excluded.settled_payers
  ),
  by_last_day AS (
    INSERT INTO payers_by_last_day AS t (endpoint, last_day, wallets, settled_wallets)
    SELECT endpoint, last.day, coalesce(sum(last.wallets) FILTER (WHERE by_call), 0),
      coalesce(sum(last.wallets) FILTER (WHERE NOT by_call), 0)
    FROM linked, LATERAL (VALUES (linked.day, 1), (earlier, -1)) AS last (day, wallets)
    WHERE later IS NULL AND following IS NULL AND last.day IS NOT NULL GROUP BY endpoint, last.day
    ON CONFLICT (endpoint, last_day) DO UPDATE SET
      wallets = t.wallets + excluded.wallets, settled_wallets = t.settled_wallets + excluded.settled_wallets
  )`;

const settlementTotals = `
  INSERT INTO settlement_totals AS t (status, payments, amount_micros)
  SELECT status, sum(payments), sum(payments * amount_micros) FROM (
    SELECT status, 1 AS payments, amount_micros FROM changed
    UNION ALL SELECT status_before, -1, amount_micros FROM changed
  ) moved WHERE status IS NOT NULL GROUP BY status HAVING sum(payments) <> 0 OR sum(payments * amount_micros) <> 0
  ON CONFLICT (status) DO UPDATE SET
    payments = t.payments + excluded.payments, amount_micros = t.amount_micros + excluded.amount_micros`;

// The events of a payment differ in their rank alone, so the highest decides the whole row: events that come late, twice
// or in another order lead to the same row. Nothing outranks settled, so a payment becomes revenue once.
const APPLY = `
  WITH published AS (
    SELECT DISTINCT ON ("paymentId") * FROM json_to_recordset($1::json) AS event (
      "paymentId" uuid, nonce text, wallet text, endpoint text, "amountMicros" bigint, "chainId" bigint, asset text,
      "transactionHash" text, status text, "verifiedAt" timestamptz, "settledAt" timestamptz, "failedAt" timestamptz,
      served boolean, reason text, tier text, "rebateMicros" bigint, "attributedCostMicros" bigint, "requestId" text
    )
    ORDER BY "paymentId", payment_status_rank(status) DESC
  ),
  written AS (
    INSERT INTO payments AS p (id, nonce, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status,
      verified_at, settled_at, failed_at, served, reason, tier, rebate_micros, attributed_cost_micros, request_id)
    SELECT "paymentId", nonce, wallet, endpoint, "amountMicros", "chainId", asset, "transactionHash", status, "verifiedAt",
      "settledAt", "failedAt", coalesce(served, false), reason, tier, coalesce("rebateMicros", 0),
      "attributedCostMicros", "requestId"
    FROM published
    ON CONFLICT (id, verified_at) DO UPDATE SET
      nonce = coalesce(excluded.nonce, p.nonce), transaction_hash = excluded.transaction_hash, status = excluded.status,
      settled_at = excluded.settled_at, failed_at = excluded.failed_at, served = excluded.served,
      reason = excluded.reason, tier = excluded.tier, rebate_micros = excluded.rebate_micros,
      attributed_cost_micros = excluded.attributed_cost_micros
    WHERE payment_status_rank(excluded.status) > payment_status_rank(p.status)
    RETURNING new.*, old.status AS status_before, old.failed_at AS failed_before,
      CASE WHEN old.status = 'settlement_failed' AND old.served THEN old.attributed_cost_micros ELSE 0 END AS cost_undone
  ),
  changed AS (
    SELECT *, (status = 'settled')::integer AS is_paid,
      CASE WHEN status = 'settled' OR (status = 'settlement_failed' AND served) THEN attributed_cost_micros ELSE 0 END
        AS cost_micros
    FROM written
  ),
  paid AS (
    SELECT *, ${dayOf('verified_at')} AS day, ${dayOf('settled_at')} AS settled_day FROM changed WHERE is_paid <> 0
  ),
  ${[entries, dailyTotals, lateSettlements, ...WALLET_ROLLUPS, presence, chain, payerCounts, PAYERS_BY_GAP, hourlyTotals].join(',')}
  ${settlementTotals}`;

// What a payment went through before its final state; the final one is in its own row.
const APPLY_STATES = `
  INSERT INTO payment_states (payment_id, state, at, transaction_hash, reason)
  SELECT "paymentId", status, at, "transactionHash", reason FROM json_to_recordset($1::json) AS event (
    "paymentId" uuid, status text, at timestamptz, "transactionHash" text, reason text
  )
  ON CONFLICT DO NOTHING`;

/** Writes payments into the copy of the ledger, updates the rollups in the same statement, and remembers uncertain states. */
export async function applyPayments(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => PAYMENT_EVENTS.some((event) => event.type === type));
  if (published.length === 0) return;
  const rows = published.map(({ type, time, data }) => ({
    ...(data as PaymentData),
    status: statusOf(type, data as PaymentData),
    at: time.toISOString(),
  }));
  await queryPrepared(tx, APPLY, [JSON.stringify(rows)]);
  const passed = rows.filter(({ status }) => status !== 'settled');
  if (passed.length > 0) await queryPrepared(tx, APPLY_STATES, [JSON.stringify(passed)]);
}

function statusOf(type: string, data: PaymentData): string {
  if (type === PaymentSettled.type) return 'settled';
  return type === PaymentSettlementFailed.type ? 'settlement_failed' : (data as PaymentSettlementPending).state;
}

import { PLAN_CODES } from '@evenkeel/contracts';
import { readMicros, usdAmount } from '@evenkeel/kernel';
import type { EntityManager } from 'typeorm';
import { numbersOf } from '../figures/figures';
import { comparedSides } from '../figures/span-rows';
import {
  type Comparison,
  comparisonOf,
  instantsOf,
  type Span,
  type Window,
  wholeOf,
  windowOf,
} from '../figures/window';
import type { ComparedPeriodQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import {
  type EntriesRow,
  type PlanRevenueView,
  rollForward,
  type StandingView,
  type SubscriptionsView,
  sumsByDay,
} from './subscription-figures';

const START = `
  SELECT coalesce(sum(movement_micros), 0)::bigint AS micros,
    count(*) FILTER (WHERE movement IN ('new', 'reactivation')) - count(*) FILTER (WHERE movement = 'churn') AS subscribers
  FROM subscription_versions WHERE day < $1 AND movement IS NOT NULL`;

/** The UTC day of a column, as an instant: 250,000 invoices are summed by it in two thirds of the time that their dates take. */
const dayOf = (instant: string): string => `date_bin('1 day', ${instant}, 'epoch')`;
const dateOf = (instant: string): string => `(${dayOf(instant)} AT TIME ZONE 'UTC')::date::text`;

/** By day and kind. A movement is as late as the latest change up to its version. */
const SUMS = `
  SELECT day::text AS date, movement AS kind, count(*) AS entries, sum(abs(movement_micros))::bigint AS micros, 0 AS tax
  FROM subscription_versions v
  WHERE movement IS NOT NULL AND day >= $1::date AND (day < $2::date OR day = $2::date AND ($3::timestamptz IS NULL OR
    (SELECT max(changed_at) FROM subscription_versions e WHERE e.user_id = v.user_id AND e.version <= v.version) < $3))
  GROUP BY day, movement
  UNION ALL
  SELECT ${dateOf('paid_at')}, 'paid', count(*), sum(amount_micros)::bigint, sum(tax_micros)::bigint
  FROM invoices WHERE paid_at >= $4::timestamptz AND paid_at < coalesce($3, $5::timestamptz) GROUP BY ${dayOf('paid_at')}
  UNION ALL
  SELECT ${dateOf('occurred_at')}, kind, count(*), sum(amount_micros)::bigint, 0
  FROM invoice_adjustments WHERE occurred_at >= $4::timestamptz AND occurred_at < coalesce($3, $5::timestamptz)
  GROUP BY ${dayOf('occurred_at')}, kind`;

const FIRST_DAY = `
  SELECT least((SELECT min(day) FROM subscription_versions WHERE movement IS NOT NULL),
    (SELECT min(paid_at) AT TIME ZONE 'UTC' FROM invoices)::date,
    (SELECT min(occurred_at) AT TIME ZONE 'UTC' FROM invoice_adjustments)::date)::text AS day`;

// The order of both is that of the key, read backwards.
/** Of users as they are now. */
const STANDING = `
  SELECT coalesce(sum(active), 0) AS active, coalesce(sum(past_due), 0) AS past_due, coalesce(sum(trialing), 0) AS trialing,
    coalesce(sum(scheduled_to_cancel), 0) AS scheduled_to_cancel, count(*) FILTER (WHERE granted_until > $1) AS granted
  FROM (
    SELECT DISTINCT ON (user_id) active, past_due, trialing, scheduled_to_cancel, granted_until
    FROM subscription_versions ORDER BY user_id DESC, version DESC
  ) latest`;

/** A plan that somebody had has a row, also with zeros. Users with the same plans are counted before these are read. */
const PLANS = `
  SELECT plan, coalesce(sum(users) FILTER (WHERE micros > 0), 0)::bigint AS subscribers,
    sum(users * micros)::bigint AS micros
  FROM (
    SELECT plans, sum(users) AS users
    FROM (
      SELECT plans, 1 AS users
      FROM (
        SELECT DISTINCT ON (user_id) plans FROM subscription_versions WHERE day <= $1
        ORDER BY user_id DESC, version DESC
      ) latest
      UNION ALL
      SELECT DISTINCT plans, 0 FROM subscription_versions WHERE day <= $1
    ) versions GROUP BY plans
  ) held, LATERAL (SELECT key AS plan, value::bigint AS micros FROM jsonb_each_text(plans)) AS paid
  GROUP BY plan ORDER BY plan = '', array_position($2::text[], plan), plan`;

/** Recurring revenue of a window of days, how subscriptions stand, and what invoices brought. */
export const readSubscriptions: Read<ComparedPeriodQuery, SubscriptionsView> = async (tx, now, { period, compare }) => {
  const window = windowOf(period, now);
  return {
    currency: 'USD' as const,
    ...window,
    ...(await subscriptionFigures(tx, wholeOf(window))),
    standing: await standing(tx, now),
    plans: await plans(tx, window),
    ...(compare && { previous: await previous(tx, comparisonOf(period, now)) }),
  };
};

async function previous(tx: EntityManager, comparison: Comparison) {
  const [first] = await tx.query<[{ day: string | null }]>(FIRST_DAY);
  return comparedSides(comparison, first.day, (span) => subscriptionFigures(tx, span));
}

/** MRR and subscribers from the beginning of a span to its end, with its invoices. */
export async function subscriptionFigures(tx: EntityManager, span: Span) {
  const { from, to, until } = span;
  const rows = await tx.query<EntriesRow[]>(SUMS, [from, to, until, ...instantsOf(span)]);
  const [row] = await tx.query<[{ micros: string; subscribers: string }]>(START, [from]);
  const start = numbersOf(row, ['micros', 'subscribers']);
  return rollForward(span, start, sumsByDay(rows));
}

async function standing(tx: EntityManager, now: Date): Promise<StandingView> {
  const [row] = await tx.query<[Record<keyof StandingView, string>]>(STANDING, [now]);
  return numbersOf(row, ['active', 'past_due', 'trialing', 'scheduled_to_cancel', 'granted']);
}

/** In the order of the catalogue, those without a plan last. */
async function plans(tx: EntityManager, { to }: Window): Promise<PlanRevenueView[]> {
  const rows = await tx.query<{ plan: string; subscribers: string; micros: string }[]>(PLANS, [to, PLAN_CODES]);
  return rows.map(({ plan, subscribers, micros }) => ({
    code: plan === '' ? null : plan,
    subscribers: readMicros(subscribers),
    mrr: usdAmount(readMicros(micros)),
  }));
}

import { PLAN_CODES } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { spanView } from '../figures/figures';
import { isBeforeFirst } from '../figures/first-payment';
import { comparisonOf, type Period, type Window, windowOf } from '../figures/window';
import { RevenueSnapshot } from '../revenue-snapshot';
import {
  NO_SUMS,
  type PlanRevenueView,
  rollForward,
  type StandingView,
  type SubscriptionsView,
  type SubscriptionSums,
} from './subscription-figures';

type Row = Record<keyof SubscriptionSums, string>;

const SUMS = `
  coalesce(sum(new_micros), 0)::bigint AS "newMicros", coalesce(sum(reactivation_micros), 0)::bigint AS "reactivationMicros",
  coalesce(sum(expansion_micros), 0)::bigint AS "expansionMicros",
  coalesce(sum(contraction_micros), 0)::bigint AS "contractionMicros",
  coalesce(sum(churn_micros), 0)::bigint AS "churnMicros", coalesce(sum(new_subscribers), 0)::bigint AS "newSubscribers",
  coalesce(sum(reactivated), 0)::bigint AS reactivated, coalesce(sum(churned), 0)::bigint AS churned,
  coalesce(sum(paid), 0)::bigint AS paid, coalesce(sum(gross_micros), 0)::bigint AS "grossMicros",
  coalesce(sum(tax_micros), 0)::bigint AS "taxMicros", coalesce(sum(refunded_micros), 0)::bigint AS "refundedMicros",
  coalesce(sum(disputed_micros), 0)::bigint AS "disputedMicros"`;

const DAYS = 'subscription_days FULL JOIN invoice_days USING (day)';

const STANDING = `
  SELECT active, past_due, trialing, scheduled_to_cancel,
    (SELECT count(*) FROM granted_users WHERE until > $1) AS granted
  FROM standing_totals`;

/** Recurring revenue of a window of days, how subscriptions stand, and what invoices brought. */
@Injectable()
export class ReadSubscriptions {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today */
  async execute(period: Period, compare: boolean): Promise<SubscriptionsView> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    return this.snapshot.read(async (tx) => {
      const { mrr, subscribers, invoices, points } = await figuresOf(tx, window);
      return {
        ...{ currency: 'USD' as const, ...window, mrr, subscribers },
        ...{ standing: await standing(tx, now), plans: await plans(tx, window), invoices, points },
        ...(compare && { previous: await previous(tx, period, now) }),
      };
    }, SUBSCRIPTIONS_PROJECTION);
  }
}

/** A day is compared whole: subscriptions count by days. */
async function previous(tx: EntityManager, period: Period, now: Date) {
  const { current, before } = comparisonOf(period, now);
  const [first] = await tx.query<[{ day: string | null }]>(`SELECT min(day)::text AS day FROM ${DAYS}`);
  if (isBeforeFirst(before, first.day)) return null;
  const sideOf = async (span: typeof before) => ({
    ...(await figuresOf(tx, span)),
    ...spanView({ ...span, until: null }),
  });
  return { ...(await sideOf(before)), compared: await sideOf(current) };
}

async function figuresOf(tx: EntityManager, window: Window) {
  const { from, to } = window;
  const [before] = await tx.query<[Row]>(`SELECT ${SUMS} FROM ${DAYS} WHERE day < $1`, [from]);
  const rows = await tx.query<(Row & { date: string })[]>(
    `SELECT day::text AS date, ${SUMS} FROM ${DAYS} WHERE day BETWEEN $1 AND $2 GROUP BY day`,
    [from, to],
  );
  return rollForward(window, sumsOf(before), new Map(rows.map((row) => [row.date, sumsOf(row)])));
}

async function standing(tx: EntityManager, now: Date): Promise<StandingView> {
  const [row] = await tx.query<[Record<keyof StandingView, string>]>(STANDING, [now]);
  return {
    active: readMicros(row.active),
    past_due: readMicros(row.past_due),
    trialing: readMicros(row.trialing),
    scheduled_to_cancel: readMicros(row.scheduled_to_cancel),
    granted: readMicros(row.granted),
  };
}

/** In the order of the catalogue, those without a plan last. */
async function plans(tx: EntityManager, { to }: Window): Promise<PlanRevenueView[]> {
  const rows = await tx.query<{ plan: string; subscribers: string; micros: string }[]>(
    `SELECT plan, sum(subscribers)::bigint AS subscribers, sum(mrr_micros)::bigint AS micros
     FROM plan_days WHERE day <= $1
     GROUP BY plan ORDER BY plan = '', array_position($2::text[], plan), plan`,
    [to, PLAN_CODES],
  );
  return rows.map(({ plan, subscribers, micros }) => ({
    ...{ code: plan === '' ? null : plan, subscribers: readMicros(subscribers), mrr: usdAmount(readMicros(micros)) },
  }));
}

function sumsOf(row: Row): SubscriptionSums {
  const names = Object.keys(NO_SUMS) as (keyof SubscriptionSums)[];
  return Object.fromEntries(names.map((name) => [name, readMicros(row[name])])) as unknown as SubscriptionSums;
}

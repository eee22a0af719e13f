import { usdAmount } from '@evenkeel/kernel';
import { ApiExtraModels, ApiProperty, getSchemaPath, IntersectionType } from '@nestjs/swagger';
import { AsOfView, ComparedWindowView, Money, percentOf, WindowView } from '../figures/figures';
import { daysOf, type Window } from '../figures/window';

export class MrrView {
  @ApiProperty({ description: 'before the first day' }) start!: Money;
  @ApiProperty({ description: 'of users who had never paid' }) new!: Money;
  @ApiProperty({ description: 'of users who had paid before' }) reactivation!: Money;
  @ApiProperty() expansion!: Money;
  @ApiProperty() contraction!: Money;
  @ApiProperty({ description: 'what ended, not what is scheduled to end' }) churn!: Money;
  @ApiProperty({ description: 'start + new + reactivation + expansion - contraction - churn' }) end!: Money;
}

export class SubscribersView {
  @ApiProperty({ type: 'integer', description: 'users who brought MRR before the first day' }) start!: number;
  @ApiProperty({ type: 'integer' }) new!: number;
  @ApiProperty({ type: 'integer' }) reactivated!: number;
  @ApiProperty({ type: 'integer' }) churned!: number;
  @ApiProperty({ type: 'integer' }) end!: number;
  @ApiProperty({ nullable: true, type: Number, description: 'of those at the start; null without any' })
  churn_pct!: number | null;
}

export class StandingView {
  @ApiProperty({ type: 'integer', description: 'subscriptions, those with paused collection included' })
  active!: number;
  @ApiProperty({ type: 'integer', description: 'subscriptions whose payment fails' }) past_due!: number;
  @ApiProperty({ type: 'integer', description: 'subscriptions' }) trialing!: number;
  @ApiProperty({ type: 'integer', description: 'of these three, those that will end' }) scheduled_to_cancel!: number;
  @ApiProperty({ type: 'integer', description: 'users with access given by hand' }) granted!: number;
}

export class PlanRevenueView {
  @ApiProperty({ nullable: true, type: String, description: 'null for a price outside the catalogue' })
  code!: string | null;
  @ApiProperty({ type: 'integer', description: 'users who pay for it' }) subscribers!: number;
  @ApiProperty() mrr!: Money;
}

export class InvoicesView {
  @ApiProperty({ type: 'integer', description: 'paid invoices' }) paid!: number;
  @ApiProperty({ description: 'what they brought, tax included' }) gross!: Money;
  @ApiProperty() tax!: Money;
  @ApiProperty({ description: 'given back in these days, less what came back of it' }) refunded!: Money;
  @ApiProperty({ description: 'disputed in these days, less disputes won in them' }) disputed!: Money;
  @ApiProperty({ description: 'gross - tax - refunded - disputed' }) net!: Money;
}

class SubscriptionPointView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty({ description: 'at the end of the day' }) mrr!: Money;
  @ApiProperty({ description: 'of invoices' }) gross!: Money;
  @ApiProperty() refunded!: Money;
  @ApiProperty({ type: 'integer', description: 'subscribers' }) new!: number;
  @ApiProperty({ type: 'integer', description: 'subscribers' }) churned!: number;
}

/** Churn in a calendar month, or in its days within the window. */
class ChurnMonthView {
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$' }) month!: string;
  @ApiProperty({ type: 'integer', description: 'subscribers at its beginning, and those who came' })
  subscribers!: number;
  @ApiProperty({ type: 'integer' }) churned!: number;
  @ApiProperty({ nullable: true, type: Number, description: 'of `subscribers`: never above 100; null without any' })
  churn_pct!: number | null;
  @ApiProperty({ description: 'MRR at its beginning, and what was added' }) mrr!: Money;
  @ApiProperty() mrr_churned!: Money;
  @ApiProperty({ nullable: true, type: Number, description: 'of `mrr`: never above 100; null without any' })
  mrr_churn_pct!: number | null;
}

/** The figures of a window of days. */
class SubscriptionMovementsView {
  @ApiProperty() mrr!: MrrView;
  @ApiProperty() subscribers!: SubscribersView;
  @ApiProperty({ description: 'twelve times the MRR at the end' }) arr!: Money;
  @ApiProperty({ nullable: true, type: Money, description: 'MRR at the end by subscribers; null without any' })
  arpu!: Money | null;
  @ApiProperty() invoices!: InvoicesView;
  @ApiProperty({ type: [ChurnMonthView], description: 'oldest first' }) months!: ChurnMonthView[];
  @ApiProperty({ type: [SubscriptionPointView], description: 'one for each day, oldest first' })
  points!: SubscriptionPointView[];
}

/** One side of a comparison. */
class ComparedSubscriptionsView extends IntersectionType(ComparedWindowView, SubscriptionMovementsView) {}

class PreviousSubscriptionsView extends ComparedSubscriptionsView {
  @ApiProperty({ description: 'the side of the window that these are compared with' })
  compared!: ComparedSubscriptionsView;
}

@ApiExtraModels(PreviousSubscriptionsView)
export class SubscriptionsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_101 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ description: 'monthly recurring revenue, and what moved it' }) mrr!: MrrView;
  @ApiProperty({ description: 'twelve times the MRR at the end' }) arr!: Money;
  @ApiProperty({ nullable: true, type: Money, description: 'MRR at the end by subscribers; null without any' })
  arpu!: Money | null;
  @ApiProperty() subscribers!: SubscribersView;
  @ApiProperty({ description: 'now' }) standing!: StandingView;
  @ApiProperty({
    type: [PlanRevenueView],
    description: 'at the end of the window, also of plans that nobody has any more; sums to the MRR at its end',
  })
  plans!: PlanRevenueView[];
  @ApiProperty({ description: 'of the window' }) invoices!: InvoicesView;
  @ApiProperty({ type: [ChurnMonthView], description: 'churn of people and of money by month, oldest first' })
  months!: ChurnMonthView[];
  @ApiProperty({ type: [SubscriptionPointView], description: 'one for each day, oldest first' })
  points!: SubscriptionPointView[];
  @ApiProperty({
    required: false,
    nullable: true,
    description:
      'with compare=previous: the same of the weekdays before, without what is as of now; null when they would begin before ' +
      'the first subscription',
    allOf: [{ $ref: getSchemaPath(PreviousSubscriptionsView) }],
  })
  previous?: PreviousSubscriptionsView | null;
}

/** Sums over a day, or over many of them: all micro-USD, but for the numbers of subscribers and of paid invoices. */
export interface SubscriptionSums {
  newMicros: number;
  reactivationMicros: number;
  expansionMicros: number;
  contractionMicros: number;
  churnMicros: number;
  newSubscribers: number;
  reactivated: number;
  churned: number;
  paid: number;
  grossMicros: number;
  taxMicros: number;
  refundedMicros: number;
  disputedMicros: number;
}

export const NO_SUMS: SubscriptionSums = {
  newMicros: 0,
  reactivationMicros: 0,
  expansionMicros: 0,
  contractionMicros: 0,
  churnMicros: 0,
  newSubscribers: 0,
  reactivated: 0,
  churned: 0,
  paid: 0,
  grossMicros: 0,
  taxMicros: 0,
  refundedMicros: 0,
  disputedMicros: 0,
};

/**
 * Rolls MRR and subscribers forward over a window.
 * @param before both at its beginning
 */
export function rollForward(
  window: Window,
  before: { mrrMicros: number; subscribers: number },
  byDay: ReadonlyMap<string, SubscriptionSums>,
): WindowView & SubscriptionMovementsView {
  const { mrrMicros: startMicros, subscribers: start } = before;
  let [sums, mrrMicros] = [NO_SUMS, startMicros];
  const months: { month: string; startMicros: number; start: number; sums: SubscriptionSums }[] = [];
  const points = daysOf(window).map((date): SubscriptionPointView => {
    const day = byDay.get(date) ?? NO_SUMS;
    const month = date.slice(0, 7);
    if (months.at(-1)?.month !== month) {
      months.push({ month, startMicros: mrrMicros, start: start + subscriberChange(sums), sums: NO_SUMS });
    }
    const present = months.at(-1)!;
    present.sums = plus(present.sums, day);
    sums = plus(sums, day);
    mrrMicros += mrrChange(day);
    const [gross, refunded] = [usdAmount(day.grossMicros), usdAmount(day.refundedMicros)];
    return { date, mrr: usdAmount(mrrMicros), gross, refunded, new: day.newSubscribers, churned: day.churned };
  });
  const { newSubscribers, reactivated, churned } = sums;
  const { days, from, to } = window;
  const end = start + subscriberChange(sums);
  return {
    days,
    from,
    to,
    mrr: mrrView(startMicros, sums),
    arr: usdAmount(mrrMicros * 12),
    arpu: end === 0 ? null : usdAmount(Math.round(mrrMicros / end)),
    subscribers: {
      start,
      new: newSubscribers,
      reactivated,
      churned,
      end,
      churn_pct: start === 0 ? null : percentOf(churned, start),
    },
    invoices: invoicesView(sums),
    months: months.map(churnMonthView),
    points,
  };
}

/** Who left is compared with all who were there in the month: some may have come and left within it. */
function churnMonthView(of: {
  month: string;
  startMicros: number;
  start: number;
  sums: SubscriptionSums;
}): ChurnMonthView {
  const { churned, churnMicros, newSubscribers, reactivated, newMicros, reactivationMicros, expansionMicros } = of.sums;
  const subscribers = of.start + newSubscribers + reactivated;
  const micros = of.startMicros + newMicros + reactivationMicros + expansionMicros;
  return {
    month: of.month,
    subscribers,
    churned,
    churn_pct: subscribers === 0 ? null : percentOf(churned, subscribers),
    mrr: usdAmount(micros),
    mrr_churned: usdAmount(churnMicros),
    mrr_churn_pct: micros === 0 ? null : percentOf(churnMicros, micros),
  };
}

function mrrView(startMicros: number, sums: SubscriptionSums): MrrView {
  return {
    start: usdAmount(startMicros),
    new: usdAmount(sums.newMicros),
    reactivation: usdAmount(sums.reactivationMicros),
    expansion: usdAmount(sums.expansionMicros),
    contraction: usdAmount(sums.contractionMicros),
    churn: usdAmount(sums.churnMicros),
    end: usdAmount(startMicros + mrrChange(sums)),
  };
}

function invoicesView({
  paid,
  grossMicros,
  taxMicros,
  refundedMicros,
  disputedMicros,
}: SubscriptionSums): InvoicesView {
  return {
    paid,
    gross: usdAmount(grossMicros),
    tax: usdAmount(taxMicros),
    refunded: usdAmount(refundedMicros),
    disputed: usdAmount(disputedMicros),
    net: usdAmount(grossMicros - taxMicros - refundedMicros - disputedMicros),
  };
}

function mrrChange(sums: SubscriptionSums): number {
  const { newMicros, reactivationMicros, expansionMicros, contractionMicros, churnMicros } = sums;
  return newMicros + reactivationMicros + expansionMicros - contractionMicros - churnMicros;
}

function subscriberChange({ newSubscribers, reactivated, churned }: SubscriptionSums): number {
  return newSubscribers + reactivated - churned;
}

function plus(one: SubscriptionSums, other: SubscriptionSums): SubscriptionSums {
  const names = Object.keys(NO_SUMS) as (keyof SubscriptionSums)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as SubscriptionSums;
}

import { usdAmount } from '@evenkeel/kernel';
import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import {
  ComparedWindowView,
  Money,
  MoneyOfDaysView,
  percentOf,
  plus,
  PreviousOf,
  Referred,
  zerosOf,
} from '../figures/figures';
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
  @ApiProperty({ description: 'monthly recurring revenue, and what moved it' }) mrr!: MrrView;
  @ApiProperty({ description: 'twelve times the MRR at the end' }) arr!: Money;
  @ApiProperty({ nullable: true, type: Money, description: 'MRR at the end by subscribers; null without any' })
  arpu!: Money | null;
  @ApiProperty() subscribers!: SubscribersView;
  @ApiProperty({ description: 'of the window' }) invoices!: InvoicesView;
  @ApiProperty({ type: [ChurnMonthView], description: 'churn of people and of money by month, oldest first' })
  months!: ChurnMonthView[];
  @ApiProperty({ type: [SubscriptionPointView], description: 'one for each day, oldest first' })
  points!: SubscriptionPointView[];
}

/** One side of a comparison. */
class ComparedSubscriptionsView extends IntersectionType(ComparedWindowView, SubscriptionMovementsView) {}

class PreviousSubscriptionsView extends PreviousOf(ComparedSubscriptionsView) {}

export class SubscriptionsView extends IntersectionType(SubscriptionMovementsView, MoneyOfDaysView) {
  @ApiProperty({ description: 'now' }) standing!: StandingView;
  @ApiProperty({
    type: [PlanRevenueView],
    description: 'at the end of the window, also of plans that nobody has any more; sums to the MRR at its end',
  })
  plans!: PlanRevenueView[];
  @Referred(PreviousSubscriptionsView, {
    required: false,
    nullable: true,
    description:
      'with compare=previous: the same of the weekdays before, without what is as of now; null when they would begin before ' +
      'the first subscription',
  })
  previous?: PreviousSubscriptionsView | null;
}

const MOVEMENTS = ['new', 'reactivation', 'expansion', 'contraction', 'churn'] as const;
const INVOICE_SUMS = ['gross', 'tax', 'refunded', 'disputed'] as const;

/** Sums over a day, or over many of them: all micro-USD, but for the numbers of subscribers and of paid invoices. */
export const SUM_NAMES = [...MOVEMENTS, ...INVOICE_SUMS, 'joined', 'reactivated', 'churned', 'paid'] as const;
export type SubscriptionSums = Record<(typeof SUM_NAMES)[number], number>;

const NO_SUMS: SubscriptionSums = zerosOf(SUM_NAMES);

/** MRR and subscribers at one time. */
interface Level {
  micros: number;
  subscribers: number;
}

/** Rolls MRR and subscribers forward over a window. */
export function rollForward(
  window: Window,
  start: Level,
  byDay: ReadonlyMap<string, SubscriptionSums>,
): SubscriptionMovementsView {
  let sums = NO_SUMS;
  const months = new Map<string, { start: Level; sums: SubscriptionSums }>();
  const points = daysOf(window).map((date): SubscriptionPointView => {
    const day = byDay.get(date) ?? NO_SUMS;
    const month = months.get(date.slice(0, 7)) ?? { start: levelAfter(start, sums), sums: NO_SUMS };
    months.set(date.slice(0, 7), { ...month, sums: plus(month.sums, day) });
    sums = plus(sums, day);
    const { gross, refunded } = amountsOf(day, INVOICE_SUMS);
    return {
      date,
      mrr: usdAmount(levelAfter(start, sums).micros),
      gross,
      refunded,
      new: day.joined,
      churned: day.churned,
    };
  });
  const { joined, reactivated, churned, paid, gross, tax, refunded, disputed } = sums;
  const end = levelAfter(start, sums);
  return {
    mrr: { start: usdAmount(start.micros), ...amountsOf(sums, MOVEMENTS), end: usdAmount(end.micros) },
    arr: usdAmount(end.micros * 12),
    arpu: end.subscribers === 0 ? null : usdAmount(Math.round(end.micros / end.subscribers)),
    subscribers: {
      start: start.subscribers,
      new: joined,
      reactivated,
      churned,
      end: end.subscribers,
      churn_pct: percentOf(churned, start.subscribers),
    },
    invoices: { paid, ...amountsOf(sums, INVOICE_SUMS), net: usdAmount(gross - tax - refunded - disputed) },
    months: [...months].map(([month, of]) => churnMonthView(month, of.start, of.sums)),
    points,
  };
}

function amountsOf<Name extends keyof SubscriptionSums>(sums: SubscriptionSums, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, usdAmount(sums[name])])) as Record<Name, Money>;
}

/** Who left is compared with all who were there in the month: some may have come and left within it. */
function churnMonthView(month: string, start: Level, { churned, churn, ...sums }: SubscriptionSums): ChurnMonthView {
  const subscribers = start.subscribers + sums.joined + sums.reactivated;
  const micros = start.micros + sums.new + sums.reactivation + sums.expansion;
  return {
    month,
    subscribers,
    churned,
    churn_pct: percentOf(churned, subscribers),
    mrr: usdAmount(micros),
    mrr_churned: usdAmount(churn),
    mrr_churn_pct: percentOf(churn, micros),
  };
}

function levelAfter({ micros, subscribers }: Level, sums: SubscriptionSums): Level {
  return {
    micros: micros + sums.new + sums.reactivation + sums.expansion - sums.contraction - sums.churn,
    subscribers: subscribers + sums.joined + sums.reactivated - sums.churned,
  };
}

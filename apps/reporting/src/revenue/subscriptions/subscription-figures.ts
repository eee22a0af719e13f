import { usdAmount } from '@evenkeel/kernel';
import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import {
  ComparedWindowView,
  Is,
  Money,
  MoneyOfDaysView,
  numbersOf,
  percentOf,
  plus,
  PreviousOf,
  zerosOf,
} from '../figures/figures';
import { daysOf, type Window } from '../figures/window';

export class MrrView {
  @Is.member('before the first day') start!: Money;
  @Is.member('of users who had never paid') new!: Money;
  @Is.member('of users who had paid before') reactivation!: Money;
  @Is.member() expansion!: Money;
  @Is.member() contraction!: Money;
  @Is.member('what ended, not what is scheduled to end') churn!: Money;
  @Is.member('start + new + reactivation + expansion - contraction - churn') end!: Money;
}

export class SubscribersView {
  @Is.count('users who brought MRR before the first day') start!: number;
  @Is.count() new!: number;
  @Is.count() reactivated!: number;
  @Is.count() churned!: number;
  @Is.count() end!: number;
  @Is.numberOrNull('of those at the start; null without any') churn_pct!: number | null;
}

export class StandingView {
  @Is.count('subscriptions, those with paused collection included') active!: number;
  @Is.count('subscriptions whose payment fails') past_due!: number;
  @Is.count('subscriptions') trialing!: number;
  @Is.count('of these three, those that will end') scheduled_to_cancel!: number;
  @Is.count('users with access given by hand') granted!: number;
}

export class PlanRevenueView {
  @Is.textOrNull('null for a price outside the catalogue') code!: string | null;
  @Is.count('users who pay for it') subscribers!: number;
  @Is.member() mrr!: Money;
}

export class InvoicesView {
  @Is.count('paid invoices') paid!: number;
  @Is.member('what they brought, tax included') gross!: Money;
  @Is.member() tax!: Money;
  @Is.member('given back in these days, less what came back of it') refunded!: Money;
  @Is.member('disputed in these days, less disputes won in them') disputed!: Money;
  @Is.member('gross - tax - refunded - disputed') net!: Money;
}

class SubscriptionPointView {
  @Is.day() date!: string;
  @Is.member('at the end of the day') mrr!: Money;
  @Is.member('of invoices') gross!: Money;
  @Is.member() refunded!: Money;
  @Is.count('subscribers') new!: number;
  @Is.count('subscribers') churned!: number;
}

/** Churn in a calendar month, or in its days within the window. */
class ChurnMonthView {
  @Is.month() month!: string;
  @Is.count('subscribers at its beginning, and those who came') subscribers!: number;
  @Is.count() churned!: number;
  @Is.numberOrNull('of `subscribers`: never above 100; null without any') churn_pct!: number | null;
  @Is.member('MRR at its beginning, and what was added') mrr!: Money;
  @Is.member() mrr_churned!: Money;
  @Is.numberOrNull('of `mrr`: never above 100; null without any') mrr_churn_pct!: number | null;
}

class SubscriptionMovementsView {
  @Is.member('monthly recurring revenue, and what moved it') mrr!: MrrView;
  @Is.member('twelve times the MRR at the end') arr!: Money;
  @ApiProperty({ nullable: true, type: Money, description: 'MRR at the end by subscribers; null without any' })
  arpu!: Money | null;
  @Is.member() subscribers!: SubscribersView;
  @Is.member('of the window') invoices!: InvoicesView;
  @Is.listOf(ChurnMonthView, 'churn of people and of money by month, oldest first') months!: ChurnMonthView[];
  @Is.listOf(SubscriptionPointView, 'one for each day, oldest first') points!: SubscriptionPointView[];
}

class ComparedSubscriptionsView extends IntersectionType(ComparedWindowView, SubscriptionMovementsView) {}

class PreviousSubscriptionsView extends PreviousOf(ComparedSubscriptionsView) {}

export class SubscriptionsView extends IntersectionType(SubscriptionMovementsView, MoneyOfDaysView) {
  @Is.member('now') standing!: StandingView;
  @Is.listOf(
    PlanRevenueView,
    'at the end of the window, also of plans that nobody has any more; sums to the MRR at its end',
  )
  plans!: PlanRevenueView[];
  @Is.previous(PreviousSubscriptionsView, 'subscription')
  previous?: PreviousSubscriptionsView | null;
}

const MOVEMENTS = ['new', 'reactivation', 'expansion', 'contraction', 'churn'] as const;
const INVOICE_SUMS = ['gross', 'tax', 'refunded', 'disputed'] as const;

/** Sums over a day, or over many of them: all micro-USD, but for the numbers of subscribers and of paid invoices. */
const SUM_NAMES = [...MOVEMENTS, ...INVOICE_SUMS, 'joined', 'reactivated', 'churned', 'paid'] as const;
type SubscriptionSums = Record<(typeof SUM_NAMES)[number], number>;

const NO_SUMS: SubscriptionSums = zerosOf(SUM_NAMES);

/** The movements, invoices or adjustments of one kind on one day. */
export interface EntriesRow {
  date: string;
  kind: string;
  entries: string;
  micros: string;
  tax: string;
}

type Entries = Record<'entries' | 'micros' | 'tax', number>;

/** What entries of a kind add to the sums; a dispute that was lost changes nothing. */
const SUMS_OF: Readonly<Record<string, (of: Entries) => Partial<SubscriptionSums>>> = {
  new: ({ entries, micros }) => ({ new: micros, joined: entries }),
  reactivation: ({ entries, micros }) => ({ reactivation: micros, reactivated: entries }),
  expansion: ({ micros }) => ({ expansion: micros }),
  contraction: ({ micros }) => ({ contraction: micros }),
  churn: ({ entries, micros }) => ({ churn: micros, churned: entries }),
  paid: ({ entries, micros, tax }) => ({ paid: entries, gross: micros, tax }),
  refund: ({ micros }) => ({ refunded: micros }),
  refund_failed: ({ micros }) => ({ refunded: -micros }),
  dispute: ({ micros }) => ({ disputed: micros }),
  dispute_won: ({ micros }) => ({ disputed: -micros }),
};

export function sumsByDay(rows: readonly EntriesRow[]): ReadonlyMap<string, SubscriptionSums> {
  const byDay = new Map<string, SubscriptionSums>();
  for (const row of rows) {
    const added = SUMS_OF[row.kind]?.(numbersOf(row, ['entries', 'micros', 'tax']));
    byDay.set(row.date, plus(byDay.get(row.date) ?? NO_SUMS, { ...NO_SUMS, ...added }));
  }
  return byDay;
}

interface Level {
  micros: number;
  subscribers: number;
}

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
    const mrr = usdAmount(levelAfter(start, sums).micros);
    return { date, mrr, gross, refunded, new: day.joined, churned: day.churned };
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

import type { PlanInterval } from '@evenkeel/contracts';
import { instantAt, integerAt, objectAt, textAt, type ProviderObject } from '../provider/members';

const MICROS_PER_CENT = 10_000;
const MONTHS_OF_A_YEAR = 12;
/** Reports are in USD. */
const CURRENCY = 'usd';

/** How often in a month, on average. */
const PER_MONTH: ReadonlyMap<string, number> = new Map([
  ['day', 365 / MONTHS_OF_A_YEAR],
  ['week', 52 / MONTHS_OF_A_YEAR],
  ['month', 1],
  ['year', 1 / MONTHS_OF_A_YEAR],
]);

/** The amount that is due each period. */
export interface RecurringAmount {
  /** A year where all of it is due once a year; else a month, to which everything is brought. */
  interval: PlanInterval | null;
  /** In USD, of one interval; null when discounts are only named, or when it is no amount. */
  micros: number | null;
  /** When the next of the discounts in it ends. */
  discountEnd: string | null;
}

interface Discount {
  percentOff: number | null;
  centsOff: number;
  /** Null: all of them. */
  products: readonly string[] | null;
  end: string | null;
}

interface Item {
  interval: string | null;
  count: number;
  product: string | null;
  cents: number;
}

/**
 * @param items of the subscription, those that are to be counted
 * @param at at which moment: a discount may have ended
 */
export function recurringAmount(object: ProviderObject, items: readonly ProviderObject[], at: Date): RecurringAmount {
  const read = items.map((item) => ({ item: readItem(item), discounts: discountsOf(item, at) }));
  const interval = intervalOf(read.map(({ item }) => item));
  const ofSubscription = discountsOf(object, at);
  const discounts = [ofSubscription, ...read.map((one) => one.discounts)];
  const ends = discounts.flatMap((some) => (some ?? []).flatMap(({ end }) => end ?? []));
  const discountEnd = ends.sort()[0] ?? null;
  if (discounts.includes(null)) return { interval, micros: null, discountEnd };
  if (!isInUsd(object, items)) return { interval, micros: 0, discountEnd };
  // A discount of an item applies to the item, whatever else its coupon applies to.
  const ownDiscounts = (some: readonly Discount[]) => some.map((one) => ({ ...one, products: null }));
  const reduced = read.map((one) => ({
    ...one.item,
    cents: afterDiscounts([one.item], ownDiscounts(one.discounts!)),
  }));
  // Items of one interval are on one invoice, and a discount in cents is taken from it once.
  const rhythms = new Set(reduced.map(rhythmOf));
  const months = [...rhythms].map((rhythm) => {
    const lines = reduced.filter((item) => rhythmOf(item) === rhythm);
    const perMonth = (PER_MONTH.get(lines[0]!.interval ?? 'month') ?? 1) / lines[0]!.count;
    return afterDiscounts(lines, ofSubscription!) * perMonth;
  });
  const cents = months.reduce((sum, month) => sum + month, 0) * (interval === 'year' ? MONTHS_OF_A_YEAR : 1);
  const micros = Math.round(cents * MICROS_PER_CENT);
  return { interval, micros: micros >= 0 && Number.isSafeInteger(micros) ? micros : null, discountEnd };
}

function readItem(item: ProviderObject): Item {
  const recurring = objectAt(item, 'price', 'recurring') ?? objectAt(item, 'plan');
  const cents = integerAt(item, 'price', 'unit_amount') ?? integerAt(item, 'plan', 'amount') ?? 0;
  return {
    interval: textAt(recurring, 'interval'),
    count: Math.max(1, integerAt(recurring, 'interval_count') ?? 1),
    product: textAt(item, 'price', 'product') ?? textAt(item, 'price', 'product', 'id'),
    cents: cents * (integerAt(item, 'quantity') ?? 1),
  };
}

function rhythmOf({ interval, count }: Item): string {
  return `${count} ${interval}`;
}

function intervalOf(items: readonly Item[]): PlanInterval | null {
  if (items.every(({ interval }) => interval === null)) return null;
  return items.every(({ interval, count }) => interval === 'year' && count === 1) ? 'year' : 'month';
}

/** A price may be charged in another currency than its own. */
function isInUsd(object: ProviderObject, items: readonly ProviderObject[]): boolean {
  const currencies = [textAt(object, 'currency'), ...items.map((item) => textAt(item, 'price', 'currency'))];
  return currencies.every((currency) => currency === null || currency.toLowerCase() === CURRENCY);
}

/** Those that are not over with one invoice; null when one is only named. */
function discountsOf(object: ProviderObject, at: Date): Discount[] | null {
  const stated = objectAt(object, 'discount');
  const named: unknown[] = Array.isArray(object['discounts']) ? object['discounts'] : [stated];
  const found: Discount[] = [];
  for (const one of named) {
    if (one === null || one === undefined) continue;
    const whole = stated !== null && one === textAt(stated, 'id') ? stated : one;
    const coupon = objectAt(whole, 'source', 'coupon') ?? objectAt(whole, 'coupon');
    if (coupon === null) return null;
    const end = instantAt(whole, 'end');
    const duration = textAt(coupon, 'duration');
    const isOver = end !== null && Date.parse(end) <= at.getTime();
    if (duration === 'once' || isOver) continue;
    found.push({ ...reductionOf(coupon), end: duration === 'repeating' ? end : null });
  }
  return found;
}

function reductionOf(coupon: ProviderObject): Omit<Discount, 'end'> {
  const percent = coupon['percent_off'];
  const products = objectAt(coupon, 'applies_to')?.['products'];
  return {
    percentOff: typeof percent === 'number' ? percent : null,
    centsOff: integerAt(coupon, 'amount_off') ?? 0,
    products: Array.isArray(products) && products.length > 0 ? products.map(String) : null,
  };
}

/** Cents of all lines. Each discount takes from what the ones before it have left of the lines that it applies to. */
function afterDiscounts(lines: readonly Item[], discounts: readonly Discount[]): number {
  let left = lines.map(({ cents }) => cents);
  for (const { percentOff, centsOff, products } of discounts) {
    const applies = lines.map(({ product }) => products === null || (product !== null && products.includes(product)));
    const sum = left.reduce((all, cents, index) => (applies[index] ? all + cents : all), 0);
    const off = percentOff === null ? centsOff : (sum * percentOff) / 100;
    const share = sum <= 0 ? 1 : Math.max(0, sum - off) / sum;
    left = left.map((cents, index) => (applies[index] ? cents * share : cents));
  }
  return left.reduce((sum, cents) => sum + cents, 0);
}

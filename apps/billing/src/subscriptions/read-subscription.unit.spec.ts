import type { ProviderObject } from '../provider/members';
import { readSubscription } from './read-subscription';

const PLANS = new Map([['price_month', 'premium_monthly'] as const]);

const NOW = new Date('2026-01-31T12:00:00Z');

const percent = (percent_off: number) => ({ percent_off, amount_off: null, duration: 'forever' });
const cents = (amount_off: number) => ({ percent_off: null, amount_off, duration: 'forever' });
/** As the API has it since 2025-09-30, and as it had it before. */
const discount = (coupon: object) => ({ id: 'di_1', source: { type: 'coupon', coupon } });
const olderDiscount = (coupon: object) => ({ id: 'di_1', coupon });

function micros(over: ProviderObject, item: ProviderObject = {}): number | null {
  const price = { id: 'price_month', unit_amount: 799, recurring: { interval: 'month' } };
  const items = { data: [{ id: 'si_1', quantity: 1, price, ...item }] };
  return readSubscription({ status: 'active', items, ...over }, PLANS, NOW)!.recurringMicros;
}

it.each<[string, ProviderObject, ProviderObject, number | null]>([
  ['without a discount', { discounts: [] }, { discounts: [] }, 7_990_000],
  ['without a discount', {}, {}, 7_990_000],
  ['with none, in the old shape', { discount: null, discounts: [] }, {}, 7_990_000],
  ['of several pieces', {}, { quantity: 3 }, 23_970_000],
  ['after a share', { discounts: [discount(percent(25))] }, {}, 5_992_500],
  ['after a share with decimals, rounded to micros', { discounts: [discount(percent(33.333_333))] }, {}, 5_326_667],
  ['after cents', { discounts: [discount(cents(100))] }, {}, 6_990_000],
  ['after more cents than it costs', { discounts: [discount(cents(1_000))] }, {}, 0],
  ['after two, each from what is left', { discounts: [discount(cents(99)), discount(percent(50))] }, {}, 3_500_000],
  ['in the old shape: the discount has its coupon', { discount: olderDiscount(percent(25)) }, {}, 5_992_500],
  ['in the old shape: expanded', { discounts: [olderDiscount(cents(100))] }, {}, 6_990_000],
  [
    'in the old shape: named, and listed beside it',
    { discounts: ['di_1'], discount: olderDiscount(percent(25)) },
    {},
    5_992_500,
  ],
  ['of an item after its own discount', {}, { discounts: [discount(cents(100))] }, 6_990_000],
  [
    'the item before the subscription',
    { discounts: [discount(percent(50))] },
    { discounts: [discount(cents(99))] },
    3_500_000,
  ],
  ['unknown: less than no piece is no amount', {}, { quantity: -1 }, null],
  ['unknown: a discount is only named', { discounts: ['di_1'] }, {}, null],
  [
    'unknown: another one is named beside the one that is listed',
    { discounts: ['di_1', 'di_2'], discount: olderDiscount(percent(25)) },
    {},
    null,
  ],
  ['unknown: its coupon is only named', { discounts: [{ id: 'di_1', source: { coupon: 'summer' } }] }, {}, null],
  ['unknown: one of an item is only named', {}, { discounts: ['di_1'] }, null],
])('the recurring amount %s', (_, subscription, item, expected) => {
  expect(micros(subscription, item)).toBe(expected);
});

const priced = (interval: string, count: number, unit_amount = 1_200, over: object = {}) => ({
  id: `si_${interval}_${count}`,
  price: { id: 'price_month', unit_amount, currency: 'usd', recurring: { interval, interval_count: count }, ...over },
});
const recurring = (items: object[], over: ProviderObject = {}) => {
  const { interval, recurringMicros } = readSubscription(
    { status: 'active', items: { data: items }, ...over },
    PLANS,
    NOW,
  )!;
  return [interval, recurringMicros];
};
const repeating = (end: string) => ({
  id: 'di_1',
  end: Date.parse(end) / 1_000,
  source: { coupon: { percent_off: 50, amount_off: null, duration: 'repeating' } },
});

it.each<[string, object[], ProviderObject, ['month' | 'year', number]]>([
  ['three months are a third of them', [priced('month', 3)], {}, ['month', 4_000_000]],
  ['a week is 52 of a year', [priced('week', 1)], {}, ['month', 52_000_000]],
  ['a day is 365 of a year', [priced('day', 1)], {}, ['month', 365_000_000]],
  ['two years are a twenty-fourth', [priced('year', 2, 2_400)], {}, ['month', 1_000_000]],
  ['a year stays one', [priced('year', 1)], {}, ['year', 12_000_000]],
  ['a month and a year', [priced('month', 1), priced('year', 1)], {}, ['month', 13_000_000]],
  ['a year and a month', [priced('year', 1), priced('month', 1)], {}, ['month', 13_000_000]],
  ['euros are no dollars', [priced('month', 1, 1_200, { currency: 'eur' })], {}, ['month', 0]],
  ['yen are none either', [priced('month', 1, 120_000)], { currency: 'jpy' }, ['month', 0]],
  [
    'an item of another product',
    [priced('month', 1), priced('month', 1, 99_900, { id: 'price_other' })],
    {},
    ['month', 12_000_000],
  ],
  [
    'a discount of one invoice',
    [priced('month', 1)],
    { discounts: [discount({ ...percent(50), duration: 'once' })] },
    ['month', 12_000_000],
  ],
  [
    'one of some months',
    [priced('month', 1)],
    { discounts: [repeating('2026-03-31T12:00:00Z')] },
    ['month', 6_000_000],
  ],
  ['one that is over', [priced('month', 1)], { discounts: [repeating('2026-01-31T12:00:00Z')] }, ['month', 12_000_000]],
  [
    'one of another product',
    [priced('month', 1)],
    { discounts: [discount({ ...percent(50), applies_to: { products: ['prod_other'] } })] },
    ['month', 12_000_000],
  ],
  [
    'one of one product of two',
    [priced('month', 1, 1_200, { product: 'prod_1' }), priced('year', 1, 1_200, { product: 'prod_2' })],
    { discounts: [discount({ ...percent(50), applies_to: { products: ['prod_2'] } })] },
    ['month', 12_500_000],
  ],
])('brought to a month: %s', (_, items, over, expected) => {
  expect(recurring(items, over)).toEqual(expected);
});

it.each(['__proto__', 'constructor', 'toString', 'brand_new'])('%s is no status: the object is not read', (status) => {
  expect(readSubscription({ status }, PLANS, NOW)).toBeNull();
});

const invoice = (status: string, finalizedDay: number | null) => ({
  status,
  status_transitions: { finalized_at: finalizedDay && Date.UTC(2026, 0, finalizedDay) / 1_000 },
});

it.each<[string, object[], number | null, number?]>([
  ['of the only one', [invoice('open', 5)], 5],
  ['of the older of two', [invoice('open', 8), invoice('open', 5), invoice('paid', 1)], 5],
  ['after one that is void', [invoice('void', 8), invoice('open', 5)], 5],
  ['since the last payment', [invoice('open', 8), invoice('paid', 6), invoice('open', 5)], 8],
  ['of a draft that was made before one that is paid', [invoice('paid', 5), invoice('open', 6)], 6],
  ['of none, while a draft waits', [invoice('draft', null), invoice('paid', 5)], null],
  ['since a trial that was given while another one was owed', [invoice('open', 8), invoice('open', 5)], 8, 7],
])('a payment fails since the day %s', (...[, invoices, day, trialEndDay]) => {
  const trial = trialEndDay && { trial_end: Date.UTC(2026, 0, trialEndDay) / 1_000 };
  const subscription = { status: 'past_due', ...trial };
  const { pastDueSince } = readSubscription(subscription, PLANS, NOW, invoices as ProviderObject[])!;
  expect(pastDueSince).toBe(day && new Date(Date.UTC(2026, 0, day)).toISOString());
});

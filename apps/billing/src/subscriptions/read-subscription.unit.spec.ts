import type { ProviderObject } from '../provider/members';
import { readSubscription } from './read-subscription';

const PLANS = new Map([['price_month', 'premium_monthly'] as const]);
const NOW = new Date('2026-01-31T12:00:00Z');

const percent = (percent_off: number) => ({ percent_off, amount_off: null, duration: 'forever' });
const cents = (amount_off: number) => ({ percent_off: null, amount_off, duration: 'forever' });
/** As the API has it since 2025-09-30, and as it had it before. */
const discount = (coupon: object, over: object = {}) => ({ id: 'di_1', source: { type: 'coupon', coupon }, ...over });
const olderDiscount = (coupon: object) => ({ id: 'di_1', coupon });
const repeating = (end: string) =>
  discount({ ...percent(50), duration: 'repeating' }, { end: Date.parse(end) / 1_000 });
const half = (over: object) => ({ discounts: [discount({ ...percent(50), ...over })] });

const priced = (interval: string, interval_count: number, unit_amount = 1_200, over: object = {}) => ({
  price: { id: 'price_month', unit_amount, currency: 'usd', recurring: { interval, interval_count }, ...over },
});
const MONTH = priced('month', 1);

it.each<[string, ProviderObject, object[], ['month' | 'year', number | null]]>([
  ['without a discount', {}, [MONTH], ['month', 12_000_000]],
  ['with none, in the old shape', { discount: null, discounts: [] }, [MONTH], ['month', 12_000_000]],
  ['of several pieces', {}, [{ ...MONTH, quantity: 3 }], ['month', 36_000_000]],
  ['after a share with decimals', { discounts: [discount(percent(33.333_333))] }, [MONTH], ['month', 8_000_000]],
  ['after more cents than it costs', { discounts: [discount(cents(9_999))] }, [MONTH], ['month', 0]],
  ['after two', { discounts: [discount(cents(200)), discount(percent(50))] }, [MONTH], ['month', 5_000_000]],
  ['in the old shape', { discount: olderDiscount(percent(25)) }, [MONTH], ['month', 9_000_000]],
  ['in the old shape, expanded', { discounts: [olderDiscount(cents(100))] }, [MONTH], ['month', 11_000_000]],
  ['named and listed', { discounts: ['di_1'], discount: olderDiscount(percent(25)) }, [MONTH], ['month', 9_000_000]],
  ['the item first', half({}), [{ ...MONTH, discounts: [discount(cents(200))] }], ['month', 5_000_000]],
  ['unknown: less than no piece', {}, [{ ...MONTH, quantity: -1 }], ['month', null]],
  ['unknown: only named', { discounts: ['di_1'] }, [MONTH], ['month', null]],
  ['unknown: another', { discounts: ['di_1', 'di_2'], discount: olderDiscount(percent(25)) }, [MONTH], ['month', null]],
  ['unknown: coupon named', { discounts: [{ id: 'di_1', source: { coupon: 'summer' } }] }, [MONTH], ['month', null]],
  ['unknown: of an item', {}, [{ ...MONTH, discounts: ['di_1'] }], ['month', null]],
  ['of three months', {}, [priced('month', 3)], ['month', 4_000_000]],
  ['of a week, 52 of a year', {}, [priced('week', 1)], ['month', 52_000_000]],
  ['of a day, 365 of a year', {}, [priced('day', 1)], ['month', 365_000_000]],
  ['of two years', {}, [priced('year', 2, 2_400)], ['month', 1_000_000]],
  ['of a year', {}, [priced('year', 1)], ['year', 12_000_000]],
  ['of a year and a month', {}, [priced('year', 1), MONTH], ['month', 13_000_000]],
  ['in euros', {}, [priced('month', 1, 1_200, { currency: 'eur' })], ['month', 0]],
  ['in yen', { currency: 'jpy' }, [MONTH], ['month', 0]],
  ['without another product', {}, [MONTH, priced('month', 1, 99_900, { id: 'price_other' })], ['month', 12_000_000]],
  ['before a discount of one invoice', half({ duration: 'once' }), [MONTH], ['month', 12_000_000]],
  ['after one of some months', { discounts: [repeating('2026-03-31T12:00:00Z')] }, [MONTH], ['month', 6_000_000]],
  ['when that is over', { discounts: [repeating('2026-01-31T12:00:00Z')] }, [MONTH], ['month', 12_000_000]],
  ['with one of another product', half({ applies_to: { products: ['prod_0'] } }), [MONTH], ['month', 12_000_000]],
  [
    'with one of one product of two',
    half({ applies_to: { products: ['prod_2'] } }),
    [priced('month', 1, 1_200, { product: 'prod_1' }), priced('year', 1, 1_200, { product: 'prod_2' })],
    ['month', 12_500_000],
  ],
])('the recurring amount %s', (_, over, data, expected) => {
  const { interval, recurringMicros } = readSubscription({ status: 'active', items: { data }, ...over }, PLANS, NOW)!;
  expect([interval, recurringMicros]).toEqual(expected);
});

it.each(['__proto__', 'constructor', 'brand_new'])('%s is no status: the object is not read', (status) => {
  expect(readSubscription({ status }, PLANS, NOW)).toBeNull();
});

const at = (day: number | null) => day && Date.UTC(2026, 0, day) / 1_000;
const invoice = (status: string, day: number | null) => ({ status, status_transitions: { finalized_at: at(day) } });

it.each<[string, object[], number | null, number | null]>([
  ['of the only one', [invoice('open', 5)], 5, null],
  ['of the older of two', [invoice('open', 8), invoice('open', 5), invoice('paid', 1)], 5, null],
  ['after one that is void', [invoice('void', 8), invoice('open', 5)], 5, null],
  ['since the last payment', [invoice('open', 8), invoice('paid', 6), invoice('open', 5)], 8, null],
  ['of a draft that was made before one that is paid', [invoice('paid', 5), invoice('open', 6)], 6, null],
  ['of none, while a draft waits', [invoice('draft', null), invoice('paid', 5)], null, null],
  ['since a trial that was given while another one was owed', [invoice('open', 8), invoice('open', 5)], 8, 7],
])('a payment fails since the day %s', (_, invoices, day, trialEnd) => {
  const subscription = { status: 'past_due', trial_end: at(trialEnd) };
  const { pastDueSince } = readSubscription(subscription, PLANS, NOW, invoices as ProviderObject[])!;
  expect(pastDueSince).toBe(day && new Date(Date.UTC(2026, 0, day)).toISOString());
});

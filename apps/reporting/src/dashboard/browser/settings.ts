import type { Basis, CustomerSort, PaymentGroup, PaymentStatus } from './answers';
import { DEFAULT_PERIOD, isRange, MONTH, periodQuery, readPeriod } from './period';

export const BASES = ['call', 'settlement'] as const satisfies Basis[];
export const THEMES = ['auto', 'light', 'dark'] as const;
export const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;
/** `auto` takes one that suits the period. */
const INTERVALS = ['auto', 'hour', 'day', 'week', 'month'] as const;
const GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'] as const satisfies PaymentGroup[];
/** The orders of customers, by their names in the API. */
export const CUSTOMER_SORTS = [
  'lifetime_spend',
  'window_spend',
  'paid_calls',
  'last_payment',
  'window_fall',
] as const satisfies CustomerSort[];

export type FileName = 'payments' | 'credits' | 'invoices' | 'customers' | 'statement';

/** Settings of the page: all of them are in the hash of the address, which can be stored and shared. */
export const DEFAULT_SETTINGS = {
  period: DEFAULT_PERIOD,
  basis: 'call' as Basis,
  compare: true,
  interval: 'auto' as (typeof INTERVALS)[number],
  table: false,
  theme: 'auto' as (typeof THEMES)[number],
  status: 'all' as PaymentStatus | 'all',
  filters: {} as PaymentFilters,
  sort: 'lifetime_spend' as CustomerSort,
  /** Id of the payment whose row is open; empty for none. */
  open: '',
  /** The month whose statement is shown in place of the numbers; empty for none. */
  statement: '',
};
export type PageSettings = typeof DEFAULT_SETTINGS;

type Forms<Name extends string> = Record<Name, (value: string) => boolean>;

const matches = (form: RegExp) => (value: string) => form.test(value);
const isOneOf = (words: readonly string[]) => (value: string) => words.includes(value);
const areDays = (days: string): boolean => {
  const [from = '', to = from] = days.split('/');
  return isRange(from, to);
};

export const isWallet = matches(/^0x[0-9a-f]{40}$/i);

/**
 * Filters of the list of payments, beside their status, as the API takes them: it refuses other values, and the page would show
 * nothing.
 */
const FILTER_FORMS = {
  /** Id, nonce, transaction, wallet or request id. */
  q: matches(/^[^\p{C}]{1,200}$/u),
  endpoint: matches(/^[\x21-\x7e]{1,200}$/),
  wallet: isWallet,
  day: (value: string) => !value.includes('/') && areDays(value),
  /** The first and the last day, with a slash between them. */
  within: (value: string) => value.includes('/') && areDays(value),
  group: isOneOf(GROUPS),
};
export type PaymentFilters = { [Name in keyof typeof FILTER_FORMS]?: string };
export const FILTERS = Object.keys(FILTER_FORMS) as (keyof PaymentFilters)[];

const FORMS: Forms<'basis' | 'interval' | 'theme' | 'status' | 'sort' | 'open' | 'statement'> = {
  basis: isOneOf(BASES),
  interval: isOneOf(INTERVALS),
  theme: isOneOf(THEMES),
  status: isOneOf(STATUSES),
  sort: isOneOf(CUSTOMER_SORTS),
  open: matches(/^[0-9a-f-]{36}$/),
  statement: matches(MONTH),
};

function validIn(given: URLSearchParams, forms: Forms<string>): Record<string, string> {
  return Object.fromEntries([...given].filter(([name, value]) => Object.hasOwn(forms, name) && forms[name]!(value)));
}

export function readHash(hash: string): PageSettings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    ...DEFAULT_SETTINGS,
    ...validIn(given, FORMS),
    period: readPeriod(given),
    compare: given.get('compare') !== 'off',
    table: given.get('table') === 'on',
    filters: validIn(given, FILTER_FORMS),
  };
}

/** The period always, other settings only when they differ from the default. */
export function hashOf(view: PageSettings): string {
  const said = new URLSearchParams(periodQuery(view.period));
  for (const name of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
    if (view[name] !== DEFAULT_SETTINGS[name]) said.set(name, view[name]);
  }
  if (!view.compare) said.set('compare', 'off');
  if (view.table) said.set('table', 'on');
  for (const name of FILTERS) if (view.filters[name]) said.set(name, view.filters[name]);
  return `#${said.toString()}`;
}

export function settingsFor(view: PageSettings, { status = 'all', filters = {} }: Partial<PageSettings>): PageSettings {
  return { ...view, status, filters, open: '', statement: '' };
}

/** Who fell is known only where periods are compared. */
export function sortOf({ sort, compare }: Pick<PageSettings, 'sort' | 'compare'>): CustomerSort {
  return compare || sort !== 'window_fall' ? sort : DEFAULT_SETTINGS.sort;
}

import type { Basis, CustomerSort, PaymentGroup, PaymentStatus, Period } from './answers';
import { DEFAULT_PERIOD, isRange, MONTH, periodQuery, readPeriod } from './period';

export const BASES = ['call', 'settlement'] as const satisfies Basis[];
/** `auto` takes one that suits the period. */
export const INTERVALS = ['auto', 'hour', 'day', 'week', 'month'] as const;
export const THEMES = ['auto', 'light', 'dark'] as const;
export const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;

export const GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'] as const satisfies PaymentGroup[];

/** The files that an operator can save. */
export type FileName = 'payments' | 'credits' | 'invoices' | 'customers' | 'statement';

/** Filters of the list of payments, beside their status; as the API takes them. */
export interface PaymentFilters {
  /** Id, nonce, transaction, wallet or request id. */
  q?: string;
  endpoint?: string;
  wallet?: string;
  /** UTC. */
  day?: string;
  /** The first and the last day, with a slash between them. */
  within?: string;
  /** Of the reconciliation. */
  group?: string;
}

/** The valid values of each: the API refuses others, and the page would show nothing. */
export const FILTER_FORMS: Record<keyof PaymentFilters, RegExp> = {
  q: /^[^\p{C}]{1,200}$/u,
  endpoint: /^[\x21-\x7e]{1,200}$/,
  wallet: /^0x[0-9a-f]{40}$/i,
  day: /^\d{4}-\d\d-\d\d$/,
  within: /^\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d$/,
  group: new RegExp(`^(${GROUPS.join('|')})$`),
};
export const FILTERS = Object.keys(FILTER_FORMS) as (keyof PaymentFilters)[];

/** Settings of the page: all of them are in the hash of the address, which can be stored and shared. */
export interface PageSettings {
  period: Period;
  basis: Basis;
  compare: boolean;
  interval: (typeof INTERVALS)[number];
  /** Whether the chart is shown as a table. */
  table: boolean;
  theme: (typeof THEMES)[number];
  status: PaymentStatus | 'all';
  filters: PaymentFilters;
  /** The order of customers; empty for the default. */
  sort: string;
  /** Id of the payment whose row is open; empty for none. */
  open: string;
  /** The month whose statement is shown in place of the numbers; empty for none. */
  statement: string;
}

export const DEFAULT_SETTINGS: PageSettings = {
  period: DEFAULT_PERIOD,
  basis: 'call',
  compare: true,
  interval: 'auto',
  table: false,
  theme: 'auto',
  status: 'all',
  filters: {},
  sort: '',
  open: '',
  statement: '',
};

/** The orders of customers, by their names in the API; the address has the first one as an empty text. */
export const CUSTOMER_SORTS = [
  'lifetime_spend',
  'window_spend',
  'paid_calls',
  'last_payment',
  'window_fall',
] as const satisfies CustomerSort[];

/** Who fell is known only where periods are compared. */
export function sortOf({ sort, compare }: Pick<PageSettings, 'sort' | 'compare'>): CustomerSort {
  const known = CUSTOMER_SORTS.filter((name) => compare || name !== 'window_fall');
  return known.find((name) => name === sort) ?? CUSTOMER_SORTS[0];
}

/** Missing and invalid settings take their defaults. */
export function readHash(hash: string): PageSettings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const word = <Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word =>
    words.find((candidate) => candidate === given.get(name)) ?? otherwise;
  const text = (name: string, form: RegExp): string => {
    const value = given.get(name) ?? '';
    return form.test(value) ? value : '';
  };
  return {
    period: readPeriod(given),
    basis: word('basis', BASES, DEFAULT_SETTINGS.basis),
    compare: given.get('compare') !== 'off',
    interval: word('interval', INTERVALS, DEFAULT_SETTINGS.interval),
    table: given.get('table') === 'on',
    theme: word('theme', THEMES, DEFAULT_SETTINGS.theme),
    status: word('status', ['all', ...STATUSES], DEFAULT_SETTINGS.status),
    filters: Object.fromEntries(FILTERS.flatMap((name) => filterIn(name, given.get(name)))),
    sort: text('sort', /^[a-z_]{1,30}$/),
    open: text('open', /^[0-9a-f-]{36}$/),
    statement: text('statement', MONTH),
  };
}

function filterIn(name: keyof PaymentFilters, value: string | null): [string, string][] {
  if (value === null || !FILTER_FORMS[name].test(value)) return [];
  const [from = '', to = from] = value.split('/');
  const isNoDay = (name === 'day' || name === 'within') && !isRange(from, to);
  return isNoDay ? [] : [[name, value]];
}

/** The settings that show these payments alone. */
export function settingsFor(view: PageSettings, { status = 'all', filters = {} }: Partial<PageSettings>): PageSettings {
  return { ...view, status, filters, open: '', statement: '' };
}

/** The period always, other settings only when they differ from the default. */
export function hashOf(view: PageSettings): string {
  const said = new URLSearchParams(periodQuery(view.period));
  for (const name of ['basis', 'interval', 'theme', 'status', 'sort', 'open', 'statement'] as const) {
    if (view[name] !== DEFAULT_SETTINGS[name]) said.set(name, view[name]);
  }
  if (!view.compare) said.set('compare', 'off');
  if (view.table) said.set('table', 'on');
  for (const name of FILTERS) if (view.filters[name]) said.set(name, view.filters[name]);
  return `#${said.toString()}`;
}

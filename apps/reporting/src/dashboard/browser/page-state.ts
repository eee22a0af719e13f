import type { Refusal } from './admin-api';
import type { PaymentStatus } from './answers';
import type { Snapshot } from './snapshot';

const KEPT_AS = 'evenkeel.operator-token';

/** The token is in the memory of this tab; in its session storage only at the request of the operator. */
export class Session {
  token: string | undefined;

  constructor(private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
    this.token = storage.getItem(KEPT_AS) ?? undefined;
  }

  open(token: string, keep: boolean): void {
    this.token = token;
    if (keep) this.storage.setItem(KEPT_AS, token);
  }

  close(): void {
    this.token = undefined;
    this.storage.removeItem(KEPT_AS);
  }
}

export const PERIODS = [1, 7, 30, 90, 365] as const;
export const THEMES = ['auto', 'light', 'dark'] as const;
export const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;

/** What narrows the list of payments, beside their status; as the API takes it. */
export interface PaymentFilters {
  /** Id, nonce, transaction, wallet or request id. */
  q?: string;
  endpoint?: string;
  wallet?: string;
  /** UTC. */
  day?: string;
}

/** What each of them may be: the API would refuse others, and the page would show nothing. */
const FILTER_FORMS: Record<keyof PaymentFilters, RegExp> = {
  q: /^[^\p{C}]{1,200}$/u,
  endpoint: /^[\x21-\x7e]{1,200}$/,
  wallet: /^0x[0-9a-f]{40}$/i,
  day: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
};
export const FILTERS = Object.keys(FILTER_FORMS) as (keyof PaymentFilters)[];

/** Settings of the page: all of them are in the hash of the address, which can be stored and shared. */
export interface PageSettings {
  days: number;
  compare: boolean;
  theme: (typeof THEMES)[number];
  status: PaymentStatus | 'all';
  filters: PaymentFilters;
}

export const DEFAULT_SETTINGS: PageSettings = { days: 30, compare: true, theme: 'auto', status: 'all', filters: {} };

/** Everything that the panels read. */
export interface PageState {
  view: PageSettings;
  signedIn: boolean;
  /** Why the token was refused, or could not be tried. */
  signInRefusal: Refusal | undefined;
  /** Absent until the first answers are there. */
  snapshot: Snapshot | undefined;
  loading: boolean;
  /** Why the numbers are not fresh; with how old they are, and when the next try is. */
  stale: { refusal: Refusal; ageMs: number; nextTryMs: number } | undefined;
  /** Index of the day under the cursor of the chart; undefined selects the last one. */
  day: number | undefined;
  showsTable: boolean;
  loadingMore: boolean;
  /** Why more rows or a file could not be loaded. */
  paymentsRefusal: Refusal | undefined;
  /** Why the file of invoices could not be loaded. */
  invoicesRefusal: Refusal | undefined;
  /** The text that was just copied. */
  copied: string | undefined;
  chartWidth: number;
}

/** Everything that the panels can request. */
export interface PageActions {
  readonly signIn: (token: string, keep: boolean) => void;
  readonly signOut: () => void;
  readonly look: (view: Partial<PageSettings>) => void;
  /** Only those, of all that there are. */
  readonly showPayments: (wanted: Partial<Pick<PageSettings, 'status' | 'filters'>>) => void;
  readonly showSubscriptions: () => void;
  readonly refresh: () => void;
  readonly moveTo: (day: number) => void;
  readonly toggleTable: () => void;
  readonly loadMore: () => void;
  readonly saveFile: () => void;
  readonly saveInvoices: () => void;
  readonly copy: (text: string) => void;
}

export type Panel = (state: PageState, actions: PageActions) => unknown;

/** Missing and invalid settings take their defaults. */
export function readHash(hash: string): PageSettings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    days: PERIODS.find((days) => String(days) === given.get('days')) ?? DEFAULT_SETTINGS.days,
    compare: given.get('compare') !== 'off',
    theme: THEMES.find((theme) => theme === given.get('theme')) ?? DEFAULT_SETTINGS.theme,
    status: STATUSES.find((status) => status === given.get('status')) ?? DEFAULT_SETTINGS.status,
    filters: Object.fromEntries(FILTERS.flatMap((name) => filterIn(name, given.get(name)))),
  };
}

function filterIn(name: keyof PaymentFilters, value: string | null): [string, string][] {
  if (value === null || !FILTER_FORMS[name].test(value)) return [];
  // The 31st of a month with 30 days is the first of the next one.
  const isNoDay = name === 'day' && new Date(value).toISOString().slice(0, value.length) !== value;
  return isNoDay ? [] : [[name, value]];
}

/** The settings that show these payments alone. */
export function settingsFor(view: PageSettings, { status = 'all', filters = {} }: Partial<PageSettings>): PageSettings {
  return { ...view, status, filters };
}

/** The period always, other settings only when they differ from the default. */
export function hashOf({ days, compare, theme, status, filters }: PageSettings): string {
  const said = new URLSearchParams({ days: String(days) });
  if (!compare) said.set('compare', 'off');
  if (theme !== DEFAULT_SETTINGS.theme) said.set('theme', theme);
  if (status !== DEFAULT_SETTINGS.status) said.set('status', status);
  for (const name of FILTERS) if (filters[name]) said.set(name, filters[name]);
  return `#${said.toString()}`;
}

import type { Refusal } from './admin-api';
import type { PaymentStatus } from './answers';
import type { Snapshot } from './snapshot';

const KEPT_AS = 'evenkeel.operator-token';

/** The token lives in the memory of this tab; in its session storage only where the operator asked for that. */
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

/** How one looks at the numbers: all of it is in the hash of the address, so that it can be kept and passed on. */
export interface ViewSettings {
  days: number;
  compare: boolean;
  theme: (typeof THEMES)[number];
  status: PaymentStatus | 'all';
}

export const DEFAULT_VIEW: ViewSettings = { days: 30, compare: true, theme: 'auto', status: 'all' };

/** Everything that the views read. */
export interface PageState {
  view: ViewSettings;
  signedIn: boolean;
  /** Why the token was not taken, or could not be tried. */
  signInRefusal: Refusal | undefined;
  /** Absent until the first answers are there. */
  snapshot: Snapshot | undefined;
  loading: boolean;
  /** Why the numbers are not fresh; with how old they are, and when the next try is. */
  stale: { refusal: Refusal; ageMs: number; nextTryMs: number } | undefined;
  /** Index of the day under the cursor of the chart; the last one where nothing was chosen. */
  day: number | undefined;
  showsTable: boolean;
  loadingMore: boolean;
  /** Why more rows or a file could not be had. */
  paymentsRefusal: Refusal | undefined;
  /** What was put on the clipboard a moment ago. */
  copied: string | undefined;
  chartWidth: number;
}

/** Everything that the views can ask for. */
export interface PageActions {
  readonly signIn: (token: string, keep: boolean) => void;
  readonly signOut: () => void;
  readonly look: (view: Partial<ViewSettings>) => void;
  readonly showPayments: (status: ViewSettings['status']) => void;
  readonly refresh: () => void;
  readonly moveTo: (day: number) => void;
  readonly toggleTable: () => void;
  readonly loadMore: () => void;
  readonly saveFile: () => void;
  readonly copy: (text: string) => void;
}

export type View = (state: PageState, actions: PageActions) => unknown;

/** What is missing or not understood takes its default. */
export function readHash(hash: string): ViewSettings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    days: PERIODS.find((days) => String(days) === given.get('days')) ?? DEFAULT_VIEW.days,
    compare: given.get('compare') !== 'off',
    theme: THEMES.find((theme) => theme === given.get('theme')) ?? DEFAULT_VIEW.theme,
    status: STATUSES.find((status) => status === given.get('status')) ?? DEFAULT_VIEW.status,
  };
}

/** The period always, of the rest what differs from the default. */
export function hashOf({ days, compare, theme, status }: ViewSettings): string {
  const said = new URLSearchParams({ days: String(days) });
  if (!compare) said.set('compare', 'off');
  if (theme !== DEFAULT_VIEW.theme) said.set('theme', theme);
  if (status !== DEFAULT_VIEW.status) said.set('status', status);
  return `#${said.toString()}`;
}

import type { HealthFacts } from './answers';
import type { FileProgress } from './file-saving';
import type { FileName, PageSettings } from './page-settings';
import type { SectionState } from './section-reads';
import type { Answers, SectionName } from './sections';
import type { Refusal } from './refusals';

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

/** Everything that the panels read. */
export interface PageState {
  view: PageSettings;
  signedIn: boolean;
  /** Why the token was refused, or could not be tried. */
  signInRefusal: Refusal | undefined;
  /** The answers that are there; a section without one is still to come. */
  answers: Partial<Answers>;
  /** How far each section is. */
  sections: Readonly<Record<SectionName, SectionState>>;
  /** How fresh the numbers are, as the last poll said; absent until the first one. */
  freshness: { asOf: string; lagSeconds: number } | undefined;
  /** Whether money comes in; absent until the first poll. */
  health: HealthFacts | undefined;
  loading: boolean;
  /** Why nothing is known of what is new; with how old the numbers are, and when the next try is. */
  stale: { refusal: Refusal; ageMs: number | undefined; nextTryMs: number } | undefined;
  /** Index of the point under the cursor of the chart; undefined selects the last one. */
  day: number | undefined;
  loadingMore: boolean;
  /** Why more rows could not be loaded. */
  paymentsRefusal: Refusal | undefined;
  loadingCustomers: boolean;
  /** Why more customers could not be loaded. */
  customersRefusal: Refusal | undefined;
  /** Files that are on their way, and what became of the last ones. */
  files: Partial<Record<FileName, FileProgress>>;
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
  readonly showCustomers: () => void;
  readonly refresh: () => void;
  readonly moveTo: (day: number) => void;
  readonly loadMore: () => void;
  readonly loadMoreCustomers: () => void;
  readonly saveFile: (name: FileName) => void;
  readonly stopFile: (name: FileName) => void;
  readonly copy: (text: string) => void;
}

export type Panel = (state: PageState, actions: PageActions) => unknown;

import type { Refusal } from './refusal';
import type { Snapshot } from './snapshot';
import type { ViewSettings } from './view-settings';

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

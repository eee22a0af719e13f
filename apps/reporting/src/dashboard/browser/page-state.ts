import type { Refusal } from './admin-api';
import type { HealthFacts } from './answers';
import type { FileProgress } from './file-saving';
import type { SectionState, Stale } from './reads';
import type { Answers, ListName, SectionName } from './sections';
import type { FileName, PageSettings } from './settings';

export interface PageState {
  view: PageSettings;
  signedIn: boolean;
  signInRefusal: Refusal | undefined;
  /** The answers that are there; a section without one is still to come. */
  answers: Partial<Answers>;
  sections: Readonly<Record<SectionName, SectionState>>;
  /** How fresh the numbers are, as the last poll said; absent until the first one. */
  freshness: { asOf: string; lagSeconds: number } | undefined;
  /** Whether money comes in; absent until the first poll. */
  health: HealthFacts | undefined;
  loading: boolean;
  /** Why nothing is known of what is new. */
  stale: Stale | undefined;
  /** Index of the point under the cursor of the chart; undefined selects the last one. */
  day: number | undefined;
  /** Lists whose next rows are on their way, or why these could not be loaded. */
  more: Partial<Record<ListName, 'loading' | Refusal>>;
  /** Files that are on their way, and what became of the last ones. */
  files: Partial<Record<FileName, FileProgress>>;
  copied: string | undefined;
  chartWidth: number;
  readonly act: PageActions;
}

export interface PageActions {
  readonly signIn: (token: string, keep: boolean) => void;
  readonly signOut: () => void;
  readonly look: (view: Partial<PageSettings>) => void;
  readonly showPayments: (wanted: Partial<Pick<PageSettings, 'status' | 'filters'>>) => void;
  readonly goTo: (title: string) => void;
  readonly refresh: () => void;
  readonly moveTo: (day: number) => void;
  readonly loadMore: (name: ListName) => void;
  readonly saveFile: (name: FileName) => void;
  readonly stopFile: (name: FileName) => void;
  readonly copy: (text: string) => void;
}

export type Panel = (state: PageState) => unknown;

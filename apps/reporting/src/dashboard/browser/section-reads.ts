import type { AdminApi } from './admin-api';
import { Refresher } from './refresher';
import { type Answers, type Section, SECTION_NAMES, type SectionName, SECTIONS } from './sections';
import type { Refusal } from './refusals';
import { isEmpty } from './answers';
import type { PageSettings } from './page-settings';

/** How far a section is. */
export interface SectionState {
  loading: boolean;
  /** Whether its answer is for the settings of now. */
  isCurrent: boolean;
  /** Why it is not fresh; with how old its answer is, if there is one, and when the next try is. */
  stale: { refusal: Refusal; ageMs: number | undefined; nextTryMs: number } | undefined;
}

interface SectionReadsOptions {
  api: () => AdminApi;
  view: () => PageSettings;
  /** Called before and after every read. */
  changed: () => void;
  /** Whether sections may be read by themselves now. */
  isAllowed: () => boolean;
  now: () => number;
}

interface Held {
  settings: string;
  receivedAtMs: number;
}

/** Reads each section by itself: one that fails keeps its last answer, and holds up no other. */
export class SectionReads {
  readonly answers: Partial<Answers> = {};
  private held: Partial<Record<SectionName, Held>> = {};
  /** Settings of the last read of each. */
  private asked: Partial<Record<SectionName, string>> = {};
  private readonly refreshers: Record<SectionName, Refresher>;

  constructor(private readonly options: SectionReadsOptions) {
    const { changed, isAllowed, now } = options;
    const refresherOf = (name: SectionName): Refresher =>
      new Refresher({
        changed,
        isAllowed,
        now,
        repeats: false,
        load: (signal) => this.read(name, signal),
        // The first payment is waited for: it is there as soon as it is known.
        everyMs: () => (this.hasPayments ? SECTIONS[name].paceMs : 0),
      });
    this.refreshers = Object.fromEntries(SECTION_NAMES.map((name) => [name, refresherOf(name)])) as Record<
      SectionName,
      Refresher
    >;
  }

  /** Reads all of them now. */
  start(): void {
    for (const name of SECTION_NAMES) this.refreshers[name].start();
  }

  /** Forgets everything that was read. */
  stop(): void {
    for (const name of SECTION_NAMES) {
      this.refreshers[name].stop();
      delete this.answers[name];
    }
    this.held = {};
    this.asked = {};
  }

  /** Reads these sections again, as soon as it is their time. */
  partsChanged(parts: readonly string[]): void {
    for (const name of SECTION_NAMES) if (parts.includes(SECTIONS[name].part)) this.refreshers[name].due();
  }

  /** Reads at once what is wanted for other settings now. */
  viewChanged(): void {
    const view = this.options.view();
    for (const name of SECTION_NAMES) {
      if (this.asked[name] !== SECTIONS[name].settings(view)) void this.refreshers[name].refresh();
    }
  }

  allowedChanged(): void {
    for (const name of SECTION_NAMES) this.refreshers[name].allowedChanged();
  }

  /** Takes the place of an answer that the page has changed itself. */
  put<Name extends SectionName>(name: Name, answer: Answers[Name]): void {
    this.answers[name] = answer;
  }

  get refusals(): Refusal[] {
    return SECTION_NAMES.flatMap((name) => this.refreshers[name].refusal ?? []);
  }

  stateOf(name: SectionName): SectionState {
    const { loading, refusal, nextAt } = this.refreshers[name];
    const { view, now } = this.options;
    const held = this.held[name];
    const isCurrent = held !== undefined && held.settings === SECTIONS[name].settings(view());
    const ageMs = held && now() - held.receivedAtMs;
    return { loading, isCurrent, stale: refusal && { refusal, ageMs, nextTryMs: nextAt - now() } };
  }

  private get hasPayments(): boolean {
    const { summary } = this.answers;
    return summary !== undefined && !isEmpty(summary);
  }

  private async read<Name extends SectionName>(name: Name, signal: AbortSignal): Promise<void> {
    const { api, view: viewNow, now } = this.options;
    const view = viewNow();
    const section: Section<Answers[Name]> = SECTIONS[name];
    const settings = (this.asked[name] = section.settings(view));
    const before = this.held[name]?.settings === settings ? this.answers[name] : undefined;
    const answer = await section.read(api(), view, before, signal);
    if (signal.aborted) return;
    this.answers[name] = answer;
    this.held[name] = { settings, receivedAtMs: now() };
  }
}

import { AdminApi, type Refusal, refusalFrom } from './admin-api';
import { isEmpty } from './answers';
import { copyExact, copyText } from './copying';
import { type FileProgress, saveFile } from './file-saving';
import type { PageActions, PageState } from './page-state';
import { place, show } from './panels';
import { isSamePeriod } from './period';
import { NARROW } from './points';
import { Read, SectionReads } from './reads';
import { fileQuestion, type ListName, SECTION_NAMES } from './sections';
import { type FileName, hashOf, type PageSettings, readHash, settingsFor } from './settings';

const EVERY_MS = 15_000;
const WATCHING_MS = 2_000;
const COPIED_MS = 1_500;
const SECOND_MS = 1_000;

/** The token is in the memory of this tab; in its session storage only at the request of the operator. */
const KEPT_AS = 'evenkeel.operator-token';

/** Cleared with the token: everything that was read with it. */
const SIGNED_OUT = {
  signedIn: false,
  signInRefusal: undefined,
  freshness: undefined,
  health: undefined,
  loading: false,
  stale: undefined,
  day: undefined,
  more: {},
  files: {},
  copied: undefined,
} satisfies Partial<PageState>;

const PARTS = ['calls', 'subscriptions'];
const TOKEN_REFUSALS: ReadonlySet<Refusal['kind']> = new Set(['wrong_token', 'not_configured']);

const now = (): number => performance.now();

/** The page: one state, the actions that change it, and the panels that show it. */
class Page implements PageActions {
  private token = sessionStorage.getItem(KEPT_AS);
  /** Asks what has changed; the sections that it is about are read again. */
  private readonly poll: Read = new Read({
    load: (signal) => this.readChanges(signal),
    changed: () => this.readsChanged(),
    paceMs: () => (isEmpty(this.sections.answers.summary) ? WATCHING_MS : EVERY_MS),
    repeats: true,
    now,
  });
  private readonly sections: SectionReads = new SectionReads(
    () => this.api(),
    () => this.state.view,
    () => this.readsChanged(),
    now,
  );
  private readonly state: PageState = {
    ...SIGNED_OUT,
    view: readHash(location.hash),
    signedIn: this.token !== null,
    answers: this.sections.answers,
    sections: {} as PageState['sections'],
    chartWidth: 0,
    act: this,
  };
  private version: string | undefined;
  private polledAtMs = 0;
  private refusalCount = 0;
  private readonly stops = new Map<FileName, AbortController>();

  start(): void {
    addEventListener('hashchange', () => this.viewChanged(readHash(location.hash)));
    document.addEventListener('visibilitychange', () => this.tick());
    document.addEventListener('copy', (event) => copyExact(event, getSelection()));
    matchMedia(NARROW).addEventListener('change', () => this.sections.viewChanged());
    place('skip').addEventListener('click', (event) => {
      // The hash of the address holds the settings of the page.
      event.preventDefault();
      place('main').focus();
    });
    this.set({});
    new ResizeObserver(() => {
      const { clientWidth: chartWidth } = place('chart');
      if (chartWidth !== this.state.chartWidth) this.set({ chartWidth });
    }).observe(place('main'));
    setInterval(() => this.tick(), SECOND_MS);
    if (this.state.signedIn) this.refresh();
    else document.getElementById('token')?.focus();
  }

  readonly signIn = (token: string, keep: boolean): void => {
    this.set({ loading: true });
    // One request before anything is shown: only an accepted token opens the page.
    const asked = new AdminApi(token).changes(undefined, new AbortController().signal);
    void asked.then(
      () => this.enter(token, keep),
      (error: unknown) => this.leave(refusalFrom(error)),
    );
  };

  readonly signOut = (): void => this.leave(undefined);

  readonly look = (view: Partial<PageSettings>): void => {
    location.hash = hashOf({ ...this.state.view, ...view });
  };

  readonly showPayments: PageActions['showPayments'] = (wanted): void => {
    this.look(settingsFor(this.state.view, wanted));
    this.goTo('payments-title');
  };

  readonly goTo = (title: string): void => {
    place(title).focus({ preventScroll: true });
    place(title).scrollIntoView({ block: 'start' });
  };

  /** The version first: the next poll brings everything after it. */
  readonly refresh = (): void => {
    this.version = undefined;
    void this.poll.start();
  };

  readonly moveTo = (day: number): void => this.set({ day });

  readonly loadMore = (name: ListName): void => {
    const after = (state: 'loading' | Refusal | undefined): void =>
      this.set({ more: { ...this.state.more, [name]: state } });
    if (this.state.more[name] === 'loading') return;
    after('loading');
    void this.sections.more(name).then(
      () => after(undefined),
      (error: unknown) => after(refusalFrom(error)),
    );
  };

  readonly saveFile = (name: FileName): void => {
    const { view, answers } = this.state;
    const { summary, customers, subscriptions: invoices } = answers;
    const days = { payments: summary?.window, credits: summary?.window, customers: customers?.window, invoices };
    const period = name === 'statement' ? view.statement : `${days[name]?.from}-${days[name]?.to}`;
    this.stopFile(name);
    const stop = new AbortController();
    this.stops.set(name, stop);
    const answer = this.api().send(fileQuestion(name, view), stop.signal);
    const show = (file: FileProgress): void => this.set({ files: { ...this.state.files, [name]: file } });
    void saveFile(`evenkeel-${name}-${period}.csv`, answer, show, stop.signal);
  };

  readonly stopFile = (name: FileName): void => this.stops.get(name)?.abort();

  readonly copy = (text: string): void => {
    void copyText(text).then((isCopied) => {
      if (!isCopied) return;
      this.set({ copied: text });
      setTimeout(() => this.state.copied === text && this.set({ copied: undefined }), COPIED_MS);
    });
  };

  private enter(token: string, keep: boolean): void {
    this.token = token;
    if (keep) sessionStorage.setItem(KEPT_AS, token);
    this.set({ signedIn: true, signInRefusal: undefined });
    place('main').focus({ preventScroll: true });
    this.refresh();
  }

  private leave(refusal: Refusal | undefined): void {
    this.poll.stop();
    this.sections.stop();
    for (const name of this.stops.keys()) this.stopFile(name);
    this.token = null;
    sessionStorage.removeItem(KEPT_AS);
    this.set({ ...SIGNED_OUT, signInRefusal: refusal });
    document.getElementById('token')?.focus();
  }

  /** Reads what it is time for, while the page is seen, and shows how old the numbers are. */
  private tick(): void {
    if (!this.state.signedIn || document.visibilityState !== 'visible') return;
    this.poll.tick();
    // While nothing is answered polls are enough to find out when it is again.
    if ((this.poll.refusal?.kind ?? 'malformed') === 'malformed') this.sections.tick();
    if (this.poll.refusal || this.sections.refusals.length > 0) this.readsChanged();
  }

  private async readChanges(signal: AbortSignal): Promise<void> {
    const isFirst = this.version === undefined;
    const { asOf, lagSeconds, changes } = await this.api()
      .changes(this.version, signal)
      .catch((error: unknown) => {
        // It does not say what has changed, and everything may have.
        if (refusalFrom(error).kind === 'malformed') this.readSections(isFirst, PARTS);
        throw error;
      });
    if (signal.aborted) return;
    this.polledAtMs = now();
    this.state.freshness = { asOf, lagSeconds };
    this.version = changes?.version ?? this.version;
    this.state.health = changes?.health ?? this.state.health;
    this.readSections(isFirst, changes?.changed ?? []);
  }

  private readSections(isFirst: boolean, parts: readonly string[]): void {
    if (isFirst) this.sections.start();
    else this.sections.partsChanged(parts);
  }

  private readsChanged(): void {
    const { refusals } = this.sections;
    const denied = [this.poll.refusal, ...refusals].find((refusal) => refusal && TOKEN_REFUSALS.has(refusal.kind));
    if (denied) return this.leave(denied);
    const hasNewRefusal = refusals.length > this.refusalCount;
    this.refusalCount = refusals.length;
    // It may be the whole service that does not answer.
    if (hasNewRefusal && !this.poll.loading) void this.poll.start();
    const { refusal, nextAt, loading } = this.poll;
    const ageMs = this.state.freshness && now() - this.polledAtMs;
    this.set({
      loading: loading || SECTION_NAMES.some((name) => this.sections.stateOf(name).loading),
      stale: refusal && { refusal, ageMs, nextTryMs: nextAt - now() },
    });
  }

  private viewChanged(view: PageSettings): void {
    const { view: before, signedIn } = this.state;
    const isSame = isSamePeriod(view.period, before.period) && view.interval === before.interval;
    this.set({ view, day: isSame ? this.state.day : undefined, more: {} });
    if (!signedIn) return;
    this.sections.viewChanged();
    if (view.statement !== before.statement) this.goTo(view.statement ? 'statement-title' : 'payments-title');
  }

  private api(): AdminApi {
    return new AdminApi(this.token ?? '');
  }

  private set(change: Partial<PageState>): void {
    const sections = Object.fromEntries(SECTION_NAMES.map((name) => [name, this.sections.stateOf(name)]));
    Object.assign(this.state, change, { sections });
    show(this.state);
  }
}

new Page().start();

import { AdminApi, paymentsOf } from './admin-api';
import { type PageActions, type PageState, Session } from './page-state';
import type { FileName } from './page-settings';
import { isSamePeriod } from './period';
import { copyExact, copyText } from './copying';
import { FileSaves } from './file-saves';
import { extended, MOST_ROWS, PAGE_ROWS } from './payment-rows';
import { MORE_ROWS, nextCustomers, withPage } from './customer-rows';
import { NARROW } from './points';
import { Refresher } from './refresher';
import { SectionReads } from './section-reads';
import { SECTION_NAMES } from './sections';
import { place, show } from './panels';
import { type Refusal, refusalFrom } from './refusals';
import { isEmpty } from './answers';
import { hashOf, readHash, settingsFor, type PageSettings } from './page-settings';

const EVERY_MS = 15_000;
const WATCHING_MS = 2_000;
const COPIED_MS = 1_500;
const SECOND_MS = 1_000;

/** Cleared with the token: everything that was read with it. */
const SIGNED_OUT = {
  signedIn: false,
  signInRefusal: undefined,
  freshness: undefined,
  health: undefined,
  loading: false,
  stale: undefined,
  day: undefined,
  loadingMore: false,
  paymentsRefusal: undefined,
  loadingCustomers: false,
  customersRefusal: undefined,
  files: {},
  copied: undefined,
} satisfies Partial<PageState>;

/** The page: one state, the actions that change it, and the panels that show it. */
class Page implements PageActions {
  private readonly session = new Session(sessionStorage);
  /** Asks what has changed; the sections that it is about are read again. */
  private readonly poll: Refresher = new Refresher({
    load: (signal) => this.readChanges(signal),
    changed: () => this.readsChanged(),
    isAllowed: isVisible,
    everyMs: () => (isEmpty(this.sections.answers.summary) ? WATCHING_MS : EVERY_MS),
    repeats: true,
    now,
  });
  private readonly sections: SectionReads = new SectionReads({
    api: () => this.api(),
    view: () => this.state.view,
    changed: () => this.readsChanged(),
    // While nothing is answered polls are enough to find out when it is again.
    isAllowed: () => isVisible() && (this.poll.refusal ?? MALFORMED).kind === MALFORMED.kind,
    now,
  });
  private readonly state: PageState = {
    ...SIGNED_OUT,
    view: readHash(location.hash),
    signedIn: this.session.token !== undefined,
    answers: this.sections.answers,
    sections: this.sectionStates(),
    chartWidth: 0,
  };
  /** Of the last poll: the next one is about what came since. */
  private version: string | undefined;
  private polledAtMs = 0;
  private refusalCount = 0;
  private readonly files = new FileSaves((name, progress) =>
    this.set({ files: { ...this.state.files, [name]: progress } }),
  );

  start(): void {
    addEventListener('hashchange', () => this.viewChanged(readHash(location.hash)));
    document.addEventListener('visibilitychange', () => {
      this.poll.allowedChanged();
      this.sections.allowedChanged();
    });
    document.addEventListener('copy', (event) => copyExact(event, getSelection()));
    matchMedia(NARROW).addEventListener('change', () => this.state.signedIn && this.sections.viewChanged());
    place('skip').addEventListener('click', (event) => {
      // The hash of the address holds the settings of the page.
      event.preventDefault();
      place('main').focus();
    });
    new ResizeObserver(([entry]) => this.set({ chartWidth: Math.round(entry!.contentRect.width) })).observe(
      place('chart'),
    );
    setInterval(() => (this.poll.refusal || this.sections.refusals.length > 0) && this.readsChanged(), SECOND_MS);
    this.set({});
    if (this.state.signedIn) this.startReads();
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

  readonly signOut = (): void => {
    this.leave(undefined);
  };

  readonly look = (view: Partial<PageSettings>): void => {
    location.hash = hashOf({ ...this.state.view, ...view });
  };

  readonly showPayments: PageActions['showPayments'] = (wanted): void => {
    this.look(settingsFor(this.state.view, wanted));
    goTo('payments-title');
  };

  readonly showSubscriptions = (): void => {
    goTo('subscriptions-title');
  };

  readonly showCustomers = (): void => {
    goTo('customers-title');
  };

  readonly refresh = (): void => {
    this.version = undefined;
    void this.poll.refresh();
  };

  readonly moveTo = (day: number): void => {
    this.set({ day });
  };

  readonly loadMore = (): void => {
    const { view, answers, loadingMore } = this.state;
    const { nextCursor: cursor, rows } = answers.payments ?? {};
    if (!cursor || loadingMore) return;
    this.set({ loadingMore: true, paymentsRefusal: undefined });
    void this.api()
      .payments(view, { limit: Math.min(PAGE_ROWS, MOST_ROWS - rows!.length), cursor }, new AbortController().signal)
      .then((page) => {
        const { payments } = this.sections.answers;
        // Meanwhile there may be other rows.
        if (payments?.nextCursor === cursor && paymentsOf(view) === paymentsOf(this.state.view))
          this.sections.put('payments', extended(payments, page));
      })
      .catch((error: unknown) => this.set({ paymentsRefusal: refusalFrom(error) }))
      .finally(() => this.set({ loadingMore: false }));
  };

  readonly loadMoreCustomers = (): void => {
    const { view, answers, loadingCustomers } = this.state;
    const [loaded, cursor] = [answers.customers, nextCustomers(answers.customers)];
    if (!loaded || !cursor || loadingCustomers) return;
    this.set({ loadingCustomers: true, customersRefusal: undefined });
    void this.api()
      .customers(view, { limit: MORE_ROWS, cursor }, new AbortController().signal)
      .then((page) => answers.customers === loaded && this.sections.put('customers', withPage(loaded, page)))
      .catch((error: unknown) => this.set({ customersRefusal: refusalFrom(error) }))
      .finally(() => this.set({ loadingCustomers: false }));
  };

  readonly saveFile = (name: FileName): void => {
    const { view, answers } = this.state;
    const { from, to } = (name === 'invoices' ? answers.subscriptions : answers.summary?.window) ?? NO_DAYS;
    const days = name === 'statement' ? view.statement : `${from}-${to}`;
    this.files.save(name, `evenkeel-${name}-${days}.csv`, (signal) => this.api().file(name, view, signal));
  };

  readonly stopFile = (name: FileName): void => {
    this.files.stop(name);
  };

  readonly copy = (text: string): void => {
    void copyText(text).then((isCopied) => {
      if (!isCopied) return;
      this.set({ copied: text });
      setTimeout(() => this.state.copied === text && this.set({ copied: undefined }), COPIED_MS);
    });
  };

  private enter(token: string, keep: boolean): void {
    this.session.open(token, keep);
    this.set({ signedIn: true, signInRefusal: undefined });
    place('main').focus({ preventScroll: true });
    this.startReads();
  }

  /** The version first: the next poll brings everything after it. */
  private startReads(): void {
    this.version = undefined;
    this.poll.start();
  }

  /** Back to the sign-in, with the reason. */
  private leave(refusal: Refusal | undefined): void {
    this.poll.stop();
    this.sections.stop();
    this.files.stopAll();
    this.session.close();
    this.set({ ...SIGNED_OUT, signInRefusal: refusal });
    document.getElementById('token')?.focus();
  }

  private async readChanges(signal: AbortSignal): Promise<void> {
    const isFirst = this.version === undefined;
    const { asOf, lagSeconds, changes } = await this.api()
      .changes(this.version, signal)
      .catch((error: unknown) => {
        // It does not tell what has changed, and everything may have.
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
    this.sections.allowedChanged();
    const hasNewRefusal = refusals.length > this.refusalCount;
    this.refusalCount = refusals.length;
    // It may be the whole service that does not answer.
    if (hasNewRefusal && !this.poll.loading) void this.poll.refresh();
    // The first payment is waited for, and the poll before did not know that there is none.
    if (isEmpty(this.sections.answers.summary)) this.poll.within(WATCHING_MS);
    const { refusal, nextAt, loading } = this.poll;
    const sections = this.sectionStates();
    const ageMs = this.state.freshness && now() - this.polledAtMs;
    this.set({
      sections,
      loading: loading || SECTION_NAMES.some((name) => sections[name].loading),
      stale: refusal && { refusal, ageMs, nextTryMs: nextAt - now() },
    });
  }

  private sectionStates(): PageState['sections'] {
    return Object.fromEntries(
      SECTION_NAMES.map((name) => [name, this.sections.stateOf(name)]),
    ) as PageState['sections'];
  }

  private viewChanged(view: PageSettings): void {
    const { view: before, signedIn } = this.state;
    const isSame = isSamePeriod(view.period, before.period) && view.interval === before.interval;
    this.set({ view, day: isSame ? this.state.day : undefined, paymentsRefusal: undefined });
    if (!signedIn) return;
    this.sections.viewChanged();
    if (view.statement !== before.statement) goTo(view.statement ? 'statement-title' : 'payments-title');
  }

  private api(): AdminApi {
    return new AdminApi(this.session.token ?? '');
  }

  private set(change: Partial<PageState>): void {
    Object.assign(this.state, change);
    show(this.state, this);
  }
}

const NO_DAYS = { from: '', to: '' };
const MALFORMED = { kind: 'malformed' } as const satisfies Refusal;
const PARTS = ['calls', 'subscriptions'];
const TOKEN_REFUSALS: ReadonlySet<Refusal['kind']> = new Set(['wrong_token', 'not_configured']);

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}

const now = (): number => performance.now();

function goTo(title: string): void {
  place(title).focus({ preventScroll: true });
  place(title).scrollIntoView({ block: 'start' });
}

new Page().start();

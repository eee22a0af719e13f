import { AdminApi, paymentsOf, type Refusal, Refused } from './admin-api';
import { isEmpty } from './health.panel';
import {
  hashOf,
  type PageActions,
  type PageState,
  readHash,
  Session,
  settingsFor,
  type PageSettings,
} from './page-state';
import { copyExact, extended, PAGE_ROWS } from './payments.panel';
import { Refresher } from './refresher';
import { loadSnapshot } from './snapshot';
import { place, show } from './panels';

const EVERY_MS = 15_000;
const WATCHING_MS = 2_000;
const COPIED_MS = 1_500;
const SECOND_MS = 1_000;

/** Cleared with the token: everything that was read with it. */
const SIGNED_OUT = {
  signedIn: false,
  signInRefusal: undefined,
  snapshot: undefined,
  loading: false,
  stale: undefined,
  day: undefined,
  loadingMore: false,
  paymentsRefusal: undefined,
  invoicesRefusal: undefined,
  copied: undefined,
} satisfies Partial<PageState>;

/** The page: one state, the actions that change it, and the panels that show it. */
class Page implements PageActions {
  private readonly session = new Session(sessionStorage);
  private readonly state: PageState = {
    ...SIGNED_OUT,
    view: readHash(location.hash),
    signedIn: this.session.token !== undefined,
    showsTable: false,
    chartWidth: 0,
  };
  private readonly refresher = new Refresher({
    load: (signal) => this.load(signal),
    changed: () => this.loadChanged(),
    isVisible: () => document.visibilityState === 'visible',
    everyMs: () => (this.state.snapshot && isEmpty(this.state.snapshot.summary) ? WATCHING_MS : EVERY_MS),
    now: () => performance.now(),
  });

  start(): void {
    addEventListener('hashchange', () => this.viewChanged(readHash(location.hash)));
    document.addEventListener('visibilitychange', () => this.refresher.visibilityChanged());
    document.addEventListener('copy', (event) => copyExact(event, getSelection()));
    place('skip').addEventListener('click', (event) => {
      // The hash of the address holds the settings of the page.
      event.preventDefault();
      place('main').focus();
    });
    new ResizeObserver(([entry]) => this.set({ chartWidth: Math.round(entry!.contentRect.width) })).observe(
      place('chart'),
    );
    setInterval(() => this.state.stale && this.loadChanged(), SECOND_MS);
    this.set({});
    if (this.state.signedIn) this.refresher.start();
    else document.getElementById('token')?.focus();
  }

  readonly signIn = (token: string, keep: boolean): void => {
    this.set({ loading: true });
    // One request before anything is shown: only an accepted token opens the page.
    const asked = new AdminApi(token).summary(this.state.view, new AbortController().signal);
    void asked.then(
      () => this.enter(token, keep),
      withRefusal((refusal) => this.leave(refusal)),
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

  readonly refresh = (): void => {
    void this.refresher.refresh();
  };

  readonly moveTo = (day: number): void => {
    this.set({ day });
  };

  readonly toggleTable = (): void => {
    this.set({ showsTable: !this.state.showsTable });
  };

  readonly loadMore = (): void => {
    const { view, snapshot } = this.state;
    const cursor = snapshot?.payments.nextCursor;
    if (!cursor || this.state.loadingMore) return;
    this.forPayments(async (api, signal) => {
      const page = await api.payments(view, { limit: PAGE_ROWS, cursor }, signal);
      const { snapshot: now } = this.state;
      if (now?.shownPayments === paymentsOf(view))
        this.set({ snapshot: { ...now, payments: extended(now.payments, page) } });
    });
  };

  readonly saveFile = (): void => {
    const { view, snapshot } = this.state;
    const until = snapshot?.summary.window.to ?? '';
    this.forPayments(async (api, signal) => {
      saveFile(await api.paymentsFile(view, signal), `evenkeel-payments-${until}-${view.days}-days.csv`);
    });
  };

  readonly saveInvoices = (): void => {
    const { view, snapshot } = this.state;
    const until = snapshot?.subscriptions.to ?? '';
    this.set({ invoicesRefusal: undefined });
    void this.api()
      .invoicesFile(view, new AbortController().signal)
      .then((file) => saveFile(file, `evenkeel-invoices-${until}-${view.days}-days.csv`))
      .catch(withRefusal((invoicesRefusal) => this.set({ invoicesRefusal })));
  };

  readonly copy = (text: string): void => {
    // Browsers have a clipboard only with https or on localhost.
    void navigator.clipboard?.writeText(text).then(() => {
      this.set({ copied: text });
      setTimeout(() => this.state.copied === text && this.set({ copied: undefined }), COPIED_MS);
    });
  };

  private enter(token: string, keep: boolean): void {
    this.session.open(token, keep);
    this.set({ signedIn: true, signInRefusal: undefined });
    place('main').focus({ preventScroll: true });
    this.refresher.start();
  }

  /** Back to the sign-in, with the reason. */
  private leave(refusal: Refusal | undefined): void {
    this.refresher.stop();
    this.session.close();
    this.set({ ...SIGNED_OUT, signInRefusal: refusal });
    document.getElementById('token')?.focus();
  }

  private async load(signal: AbortSignal): Promise<void> {
    const loaded = await loadSnapshot(this.api(), this.state.view, this.state.snapshot, signal);
    if (!signal.aborted) this.state.snapshot = { ...loaded, receivedAtMs: performance.now() };
  }

  private loadChanged(): void {
    const { loading, refusal, nextAt } = this.refresher;
    if (refusal?.kind === 'wrong_token' || refusal?.kind === 'not_configured') return this.leave(refusal);
    const now = performance.now();
    const ageMs = now - (this.state.snapshot?.receivedAtMs ?? now);
    this.set({ loading, stale: refusal && { refusal, ageMs, nextTryMs: nextAt - now } });
  }

  private viewChanged(view: PageSettings): void {
    const { view: before, signedIn } = this.state;
    this.set({ view, day: view.days === before.days ? this.state.day : undefined, paymentsRefusal: undefined });
    const sameNumbers = hashOf({ ...view, theme: 'auto' }) === hashOf({ ...before, theme: 'auto' });
    if (signedIn && !sameNumbers) this.refresh();
  }

  private forPayments(work: (api: AdminApi, signal: AbortSignal) => Promise<void>): void {
    this.set({ loadingMore: true, paymentsRefusal: undefined });
    const failed = withRefusal((paymentsRefusal) => this.set({ paymentsRefusal }));
    void work(this.api(), new AbortController().signal)
      .catch(failed)
      .finally(() => this.set({ loadingMore: false }));
  }

  private api(): AdminApi {
    return new AdminApi(this.session.token ?? '');
  }

  private set(change: Partial<PageState>): void {
    Object.assign(this.state, change);
    show(this.state, this);
  }
}

function withRefusal(then: (refusal: Refusal) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Refused)) throw error;
    then(error.refusal);
  };
}

function goTo(title: string): void {
  place(title).focus({ preventScroll: true });
  place(title).scrollIntoView({ block: 'start' });
}

new Page().start();

/** Offers the answer as a download: a plain link could not send the token. */
function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

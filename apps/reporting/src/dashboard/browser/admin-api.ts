import { cohortsQuery } from './cohorts.panel';
import { sortOf } from './customer-rows';
import type {
  Basis,
  Changes,
  Cohorts,
  Credits,
  Customers,
  Endpoints,
  Interval,
  Payments,
  PaymentStory,
  Reconciliation,
  Subscriptions,
  Summary,
  Timeseries,
} from './answers';
import type { FileName, PageSettings } from './page-state';
import { periodQuery } from './period';
import { intervalOf, NARROW } from './points';

/** Why there are no new numbers. */
export type Refusal =
  | { kind: 'wrong_token' }
  | { kind: 'not_configured' }
  | { kind: 'limited'; retryAfterSeconds: number }
  | { kind: 'unavailable'; status: number; retryAfterSeconds: number }
  | { kind: 'unreachable' }
  | { kind: 'malformed' }
  | { kind: 'not_written' };

export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.kind);
  }
}

const ROOT = '/v1/admin/revenue';
const GIVEN_UP_AFTER_MS = 10_000;

/** Valid in a header; with other characters `fetch` would throw. */
const SENDABLE = /^[\x20-\x7e]+$/;

type Query = Record<string, string | number | undefined>;

/** What a poll brings. */
export interface Poll {
  asOf: string;
  lagSeconds: number;
  /** Null when nothing has changed. */
  changes: Changes | null;
}

/** The only requests of this page: reads of its own origin, with the operator's token. */
export class AdminApi {
  constructor(private readonly token: string) {}

  /** @param since the version of an earlier answer; without one all is new */
  async changes(since: string | undefined, signal: AbortSignal): Promise<Poll> {
    const limit = AbortSignal.timeout(GIVEN_UP_AFTER_MS);
    const answer = await this.send('changes', { since }, AbortSignal.any([signal, limit]));
    if (answer.status !== 204) {
      const changes = await jsonOf<Changes>('changes', answer);
      return { asOf: changes.as_of, lagSeconds: changes.lag_seconds, changes };
    }
    const [asOf, lagSeconds] = [answer.headers.get('x-as-of'), answer.headers.get('x-lag-seconds')];
    if (asOf === null || lagSeconds === null) throw new Refused({ kind: 'malformed' });
    return { asOf, lagSeconds: Number(lagSeconds), changes: null };
  }

  summary(view: PageSettings, signal: AbortSignal): Promise<Summary> {
    return this.read('summary', windowQuery(view), signal);
  }

  endpoints(view: PageSettings, signal: AbortSignal): Promise<Endpoints> {
    return this.read('endpoints', windowQuery(view), signal);
  }

  timeseries(view: PageSettings, signal: AbortSignal): Promise<Timeseries> {
    return this.read('timeseries', { ...windowQuery(view), interval: shownInterval(view) }, signal);
  }

  subscriptions(view: PageSettings, signal: AbortSignal): Promise<Subscriptions> {
    const { basis: _ofCalls, ...query } = windowQuery(view);
    return this.read('subscriptions', query, signal);
  }

  payments(view: PageSettings, page: { limit: number; cursor?: string }, signal: AbortSignal): Promise<Payments> {
    return this.read('payments', { ...page, ...paymentQuery(view) }, signal);
  }

  customers(view: PageSettings, page: { limit: number; cursor?: string }, signal: AbortSignal): Promise<Customers> {
    const { basis: _byCallAlone, ...query } = windowQuery(view);
    return this.read('customers', { ...query, sort: sortOf(view), ...page }, signal);
  }

  cohorts({ period }: PageSettings, signal: AbortSignal): Promise<Cohorts> {
    return this.read('cohorts', cohortsQuery(period), signal);
  }

  credits({ period }: PageSettings, signal: AbortSignal): Promise<Credits> {
    return this.read('credits', periodQuery(period), signal);
  }

  reconciliation(signal: AbortSignal): Promise<Reconciliation> {
    return this.read('reconciliation', { limit: 1 }, signal);
  }

  /** @returns null when no payment has this id */
  async payment(id: string, signal: AbortSignal): Promise<PaymentStory | null> {
    return this.read<PaymentStory>(`payments/${id}`, {}, signal).catch((error: unknown) => {
      if (error instanceof Refused && isNotFound(error.refusal)) return null;
      throw error;
    });
  }

  /** The rows of a period as a file. Its bytes may take as long as they need, its head may not. */
  file(name: FileName, { period, basis, status }: PageSettings, signal: AbortSignal): Promise<Response> {
    const ofPayments = { basis: unlessDefault(basis), status: status === 'all' ? undefined : status };
    const query = { ...periodQuery(period), ...(name === 'payments' && ofPayments) };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), GIVEN_UP_AFTER_MS);
    return this.send(`${name}.csv`, query, AbortSignal.any([signal, limit.signal])).finally(() => clearTimeout(timer));
  }

  private async read<Answer>(name: string, query: Query, signal: AbortSignal): Promise<Answer> {
    return jsonOf(
      name,
      await this.send(name, query, AbortSignal.any([signal, AbortSignal.timeout(GIVEN_UP_AFTER_MS)])),
    );
  }

  /** @throws Refused */
  private async send(name: string, query: Query, signal: AbortSignal): Promise<Response> {
    if (!SENDABLE.test(this.token)) throw new Refused({ kind: 'wrong_token' });
    const said = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(said.map(([key, value]) => [key, String(value)]));
    const answer = await fetch(`${ROOT}/${name}?${search.toString()}`, {
      headers: { 'x-admin-token': this.token },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal,
    }).catch(() => {
      throw new Refused({ kind: 'unreachable' });
    });
    if (!answer.ok) throw new Refused(refusalOf(answer));
    return answer;
  }
}

/** Which payments a list shows: views that show the same have the same text. */
export function paymentsOf(view: PageSettings): string {
  return JSON.stringify(paymentQuery(view));
}

function paymentQuery({ status, basis, filters: { within, ...filters } }: PageSettings): Query {
  const [from, to] = within?.split('/') ?? [];
  // The days of rows are those of the numbers that lead to them.
  const hasDays = from !== undefined || filters.day !== undefined;
  const days = { from, to, basis: hasDays ? unlessDefault(basis) : undefined };
  return { status: status === 'all' ? undefined : status, ...filters, ...days };
}

/** What a point of the chart counts now. */
export function shownInterval(view: PageSettings): Interval {
  return intervalOf(view, matchMedia(NARROW).matches);
}

function isNotFound(refusal: Refusal): boolean {
  return refusal.kind === 'unavailable' && refusal.status === 404;
}

/** What is not said means the same. */
function unlessDefault(basis: Basis): Basis | undefined {
  return basis === 'call' ? undefined : basis;
}

function windowQuery({ period, basis, compare }: PageSettings): Query {
  return {
    ...periodQuery(period),
    basis: unlessDefault(basis),
    compare: compare ? 'previous' : undefined,
  };
}

/** Every answer has these; without them it is of somebody else, and the last one stays. */
const ALWAYS = ['as_of', 'lag_seconds'];
const MEMBERS: Record<string, string[]> = {
  changes: ['changed.length', 'version', 'health.settlement.settled', 'health.hours.1.since'],
  summary: ['window.gross_revenue', 'today.gross_revenue', 'all_time.paid_calls', 'settlement.settled', 'cost_model'],
  endpoints: ['endpoints.length'],
  timeseries: ['points.length'],
  payments: ['payments.length'],
  customers: ['customers.length'],
  cohorts: ['cohorts.length'],
  subscriptions: ['mrr.end', 'standing.past_due', 'plans.length', 'invoices.disputed.usd'],
};

function hasMember(answer: unknown, path: string): boolean {
  const at = (value: unknown, name: string): unknown => (value as Record<string, unknown> | null | undefined)?.[name];
  return path.split('.').reduce(at, answer) !== undefined;
}

async function jsonOf<Answer>(name: string, answer: Response): Promise<Answer> {
  const text = await answer.text().catch(() => {
    throw new Refused({ kind: 'unreachable' });
  });
  const value = parsed(text);
  const members = [...ALWAYS, ...(MEMBERS[name] ?? [])];
  if (!members.every((path) => hasMember(value, path))) throw new Refused({ kind: 'malformed' });
  return value as Answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whatever went wrong: nothing stops for an answer that could not be used. */
export function refusalFrom(error: unknown): Refusal {
  return error instanceof Refused ? error.refusal : { kind: 'malformed' };
}

export function refusalOf({ status, headers }: Pick<Response, 'status' | 'headers'>): Refusal {
  const retryAfterSeconds = Number(headers.get('retry-after')) || 0;
  if (status === 401) return { kind: 'wrong_token' };
  if (status === 501) return { kind: 'not_configured' };
  if (status === 429) return { kind: 'limited', retryAfterSeconds };
  return { kind: 'unavailable', status, retryAfterSeconds };
}

/** The reason as the end of a sentence. */
export function refusalText(refusal: Refusal): string {
  if (refusal.kind === 'limited') return 'too many requests from this address';
  if (refusal.kind === 'unavailable') return `the service answered ${refusal.status}`;
  if (refusal.kind === 'wrong_token') return 'the token is not accepted';
  if (refusal.kind === 'not_configured') return 'no operator token is configured';
  if (refusal.kind === 'not_written') return 'the file could not be written';
  if (refusal.kind === 'malformed') return 'the answer is not one of this service';
  return 'the network does not answer';
}

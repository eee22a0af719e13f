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
import { type FileName, type PageSettings, sortOf } from './page-settings';
import { cohortsQuery, periodQuery } from './period';
import { type Refusal, refusalOf, Refused } from './refusals';
import { intervalOf, NARROW } from './points';

const ROOT = '/v1/admin/revenue';
const GIVEN_UP_AFTER_MS = 10_000;

/** Valid in a header; with other characters `fetch` would throw. */
const SENDABLE = /^[\x20-\x7e]+$/;

type Query = Record<string, string | number | undefined>;

/** The answer to a poll. */
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
    return this.read('customers', { ...windowQuery(view), sort: sortOf(view), ...page }, signal);
  }

  cohorts({ period }: PageSettings, signal: AbortSignal): Promise<Cohorts> {
    return this.read('cohorts', cohortsQuery(period), signal);
  }

  credits({ period }: PageSettings, signal: AbortSignal): Promise<Credits> {
    return this.read('credits', periodQuery(period), signal);
  }

  /** @returns the lines of its file, whose fields have no comma: month, section, item, count, amount */
  async statement(month: string, signal: AbortSignal): Promise<string[][]> {
    const limit = AbortSignal.timeout(GIVEN_UP_AFTER_MS);
    const answer = await this.send('statement.csv', { month }, AbortSignal.any([signal, limit]));
    const lines = (await answer.text()).split('\r\n').slice(1, -1);
    return lines.map((line) => line.split(','));
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
  file(name: FileName, view: PageSettings, signal: AbortSignal): Promise<Response> {
    const { period, basis, status, filters, statement } = view;
    const ofCalls = name === 'payments' || name === 'customers' ? { basis: unlessDefault(basis) } : {};
    const ofPayments = { status: status === 'all' ? undefined : status, wallet: filters.wallet };
    const days = name === 'statement' ? { month: statement } : periodQuery(period);
    const query = { ...days, ...ofCalls, ...(name === 'payments' && ofPayments) };
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

/** The list follows the period, unless it shows certain payments: those are found whenever they were. */
function paymentQuery({ status, period, basis, filters }: PageSettings): Query {
  const { within, ...others } = filters;
  const { endpoint: _ofPeriod, ...certain } = others;
  const [from, to] = within?.split('/') ?? [];
  const isOfPeriod =
    !within && !Object.values(certain).some((value) => value) && (status === 'all' || status === 'settled');
  const hasDays = isOfPeriod || from !== undefined || filters.day !== undefined;
  return {
    status: status === 'all' ? undefined : status,
    ...others,
    ...(isOfPeriod ? periodQuery(period) : { from, to }),
    basis: hasDays ? unlessDefault(basis) : undefined,
  };
}

/** The unit of a point of the chart. */
export function shownInterval(view: PageSettings): Interval {
  return intervalOf(view, matchMedia(NARROW).matches);
}

function isNotFound(refusal: Refusal): boolean {
  return refusal.kind === 'unavailable' && refusal.status === 404;
}

/** Absent members mean the same. */
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
  changes: ['changed.length', 'version', 'health.settlement.settled', 'health.disputes.open', 'health.hours.1.since'],
  summary: ['window.gross_revenue', 'today.gross_revenue', 'all_time.paid_calls', 'settlement.settled', 'cost_model'],
  endpoints: ['endpoints.length'],
  timeseries: ['points.length'],
  payments: ['payments.length'],
  customers: ['customers.length'],
  cohorts: ['cohorts.length'],
  subscriptions: ['mrr.end', 'standing.past_due', 'plans.length', 'months.length'],
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

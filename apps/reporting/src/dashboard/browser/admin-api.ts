import type { Customers, Endpoints, Payments, Reconciliation, Subscriptions, Summary, Timeseries } from './answers';
import type { PageSettings } from './page-state';

/** Why there are no new numbers. */
export type Refusal =
  | { kind: 'wrong_token' }
  | { kind: 'not_configured' }
  | { kind: 'limited'; retryAfterSeconds: number }
  | { kind: 'unavailable'; status: number; retryAfterSeconds: number }
  | { kind: 'unreachable' };

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

/** The only requests of this page: reads of its own origin, with the operator's token. */
export class AdminApi {
  constructor(private readonly token: string) {}

  summary(view: PageSettings, signal: AbortSignal): Promise<Summary> {
    return this.read('summary', windowQuery(view), signal);
  }

  endpoints(view: PageSettings, signal: AbortSignal): Promise<Endpoints> {
    return this.read('endpoints', windowQuery(view), signal);
  }

  timeseries(view: PageSettings, signal: AbortSignal): Promise<Timeseries> {
    return this.read('timeseries', windowQuery(view), signal);
  }

  subscriptions(view: PageSettings, signal: AbortSignal): Promise<Subscriptions> {
    return this.read('subscriptions', windowQuery(view), signal);
  }

  payments(view: PageSettings, page: { limit: number; cursor?: string }, signal: AbortSignal): Promise<Payments> {
    return this.read('payments', { ...page, ...paymentQuery(view) }, signal);
  }

  customers(limit: number, signal: AbortSignal): Promise<Customers> {
    return this.read('customers', { limit }, signal);
  }

  reconciliation(signal: AbortSignal): Promise<Reconciliation> {
    return this.read('reconciliation', { limit: 1 }, signal);
  }

  /** The payments of a period as a file. */
  async paymentsFile({ days, status }: PageSettings, signal: AbortSignal): Promise<Blob> {
    const query = { days, status: status === 'all' ? undefined : status };
    return (await this.send('payments.csv', query, signal)).blob();
  }

  /** Paid invoices of a period, and what was given back of them, as a file. */
  async invoicesFile({ days }: PageSettings, signal: AbortSignal): Promise<Blob> {
    return (await this.send('invoices.csv', { days }, signal)).blob();
  }

  private async read<Answer>(name: string, query: Query, signal: AbortSignal): Promise<Answer> {
    const answer = await this.send(name, query, signal);
    return answer.json().catch(() => {
      throw new Refused({ kind: 'unreachable' });
    }) as Promise<Answer>;
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
      signal: AbortSignal.any([signal, AbortSignal.timeout(GIVEN_UP_AFTER_MS)]),
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

function paymentQuery({ status, filters }: PageSettings): Query {
  return { status: status === 'all' ? undefined : status, ...filters };
}

function windowQuery({ days, compare }: PageSettings): Query {
  return { days, compare: compare ? 'previous' : undefined };
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
  return 'the network does not answer';
}

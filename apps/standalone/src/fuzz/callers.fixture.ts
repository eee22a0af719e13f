import { randomUUID } from 'node:crypto';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { aPaidRequest } from '../e2e/paid-request.fixture';
import type { DocumentedOperation } from './documented-operation.fixture';
import type { FuzzedRequest } from './fuzzed-request.fixture';

const PASSWORD = 'a long word that nobody guesses';
const LOG = { occurredAt: '2025-06-01T08:00:00Z', status: 'COMPLETED' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Who sends the requests: buyers with a new payment each time, people who are signed in, and the operator. */
export class Callers {
  private token = '';
  private beginning: Promise<void> | undefined;
  /** Ids of a person's things and a buyer's payments, by the name of the parameter. */
  private readonly known: Record<string, string> = {};

  constructor(
    private readonly url: string,
    private readonly adminToken: string,
    /** Gives somebody Premium, so that nothing is refused for want of it. */
    private readonly upgrade: (userId: string) => Promise<unknown> = async () => undefined,
  ) {}

  /** Somebody new with a habit and a log: so that earlier operations have no effect. */
  begin(): Promise<void> {
    return (this.beginning ??= this.register().finally(() => (this.beginning = undefined)));
  }

  private async register(): Promise<void> {
    const account = { email: `fuzz-${randomUUID()}@example.com`, password: PASSWORD };
    const { accessToken, user } = await this.post('/v1/auth/register', account);
    await this.upgrade((user as { id: string }).id);
    const token = String(accessToken);
    const { id: habitId } = await this.post('/v1/habits', { name: 'Read 20 minutes' }, token);
    const { id: logId } = await this.post(`/v1/habits/${String(habitId)}/logs`, LOG, token);
    this.token = token;
    Object.assign(this.known, { habitId, logId });
  }

  /** One call, so that there is a payment to ask for. */
  async buy(): Promise<void> {
    const { path, body, headers, nonce } = await aPaidRequest();
    const { status } = await fetch(this.url + path, { method: 'POST', headers, body });
    if (status !== 200) throw new Error(`the first call was answered with ${status}`);
    this.known['nonce'] = nonce;
  }

  /** The path of a request, with what is known where it says so. */
  pathOf({ path }: DocumentedOperation, { ids, query }: FuzzedRequest): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const id = ids[name] ?? this.known[name] ?? '018f0000-0000-7000-8000-000000000000';
      return encodeURIComponent(id);
    });
    return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query.map(([name, text]) => [name, text]))}`;
  }

  /** The headers that authorize or pay for the operation. */
  async headersFor(operation: DocumentedOperation, { isSigned }: FuzzedRequest): Promise<Record<string, string>> {
    if (!isSigned) return {};
    if (operation.isSold) return this.payment(operation);
    const [scheme] = operation.schemes;
    if (scheme === 'bearerAuth') return { authorization: `Bearer ${this.token}` };
    return scheme === 'adminToken' ? { 'x-admin-token': this.adminToken } : {};
  }

  /** After an answer: one who is not signed in any more is replaced, unless that has happened. */
  async heard(status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    if (status === 401 && headers['authorization'] === `Bearer ${this.token}`) await this.begin();
  }

  private async payment({ path }: DocumentedOperation): Promise<Record<string, string>> {
    const { operation } = PAID_ENDPOINTS.find((endpoint: PaidEndpoint) => endpoint.path === path)!;
    const { headers } = await aPaidRequest({ operation });
    return { 'x-payment': headers['x-payment']! };
  }

  private async post(path: string, body: object, token?: string): Promise<Record<string, unknown>> {
    const headers = { ...JSON_TYPE, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const response = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}

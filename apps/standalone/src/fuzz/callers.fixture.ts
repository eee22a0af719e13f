import { randomUUID } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { AccountsClient } from '../e2e/accounts-client.fixture';
import { aPaidRequest, send } from '../e2e/paid-request.fixture';
import { ADMIN_TOKEN } from '../e2e/programs.fixture';
import type { DocumentedOperation } from './documented-operation.fixture';
import type { FuzzedRequest } from './fuzzed-request.fixture';

const LOG = { occurredAt: '2025-06-01T08:00:00Z', status: 'COMPLETED' };
const NOBODYS_ID = '018f0000-0000-7000-8000-000000000000';

/** Who sends the requests: buyers with a new payment each time, people who are signed in, and the operator. */
export class Callers {
  private token = '';
  private beginning: Promise<void> | undefined;
  /** Ids of a person's things and a buyer's payments, by the name of the parameter. */
  private readonly known: Record<string, string> = {};

  /** @param upgrade gives somebody Premium, so that nothing is refused for want of it */
  constructor(
    private readonly url: string,
    private readonly upgrade: (userId: string) => Promise<unknown>,
  ) {}

  /** Somebody new with a habit and a log: so that earlier operations have no effect. */
  begin(): Promise<void> {
    return (this.beginning ??= this.register().finally(() => (this.beginning = undefined)));
  }

  private async register(): Promise<void> {
    const person = new AccountsClient(this.url);
    const login = { email: `fuzz-${randomUUID()}@example.com`, password: 'a long word that nobody guesses' };
    const { user } = (await person.register(login)).body as { user: { id: string } };
    await this.upgrade(user.id);
    const { id: habitId } = (await person.send('POST', 'habits', { name: 'Read 20 minutes' })).body;
    const { id: logId } = (await person.send('POST', `habits/${String(habitId)}/logs`, LOG)).body;
    if (logId === undefined) throw new Error('nobody could be signed in who has a log');
    this.token = person.token;
    Object.assign(this.known, { habitId, logId });
  }

  /** One call, so that there is a payment to ask for. */
  async buy(): Promise<void> {
    const paid = await aPaidRequest();
    const { status } = await send(this.url, paid);
    if (status !== 200) throw new Error(`the first call was answered with ${status}`);
    this.known['nonce'] = paid.nonce;
  }

  /** The path of a request, with what is known where it says so. */
  pathOf({ path }: DocumentedOperation, { ids, query }: FuzzedRequest): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(ids[name] ?? this.known[name] ?? NOBODYS_ID),
    );
    return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query.map(([name, text]) => [name, text]))}`;
  }

  /** The headers that authorize or pay for the operation. */
  async headersFor(operation: DocumentedOperation, { isSigned }: FuzzedRequest): Promise<Record<string, string>> {
    if (!isSigned) return {};
    const sold = PAID_ENDPOINTS.find(({ path }) => operation.isSold && path === operation.path);
    if (sold) return { 'x-payment': (await aPaidRequest({ operation: sold.operation })).headers['x-payment']! };
    const [scheme] = operation.schemes;
    if (scheme === 'bearerAuth') return { authorization: `Bearer ${this.token}` };
    return scheme === 'adminToken' ? { 'x-admin-token': ADMIN_TOKEN } : {};
  }

  /** After an answer: one who is not signed in any more is replaced, unless that has happened. */
  async answered(status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    if (status === 401 && headers['authorization'] === `Bearer ${this.token}`) await this.begin();
  }
}

import type { Changes } from './answers';

const ROOT = '/v1/admin/revenue';
const GIVEN_UP_AFTER_MS = 10_000;

/** Valid in a header; with other characters `fetch` would throw. */
const SENDABLE = /^[\x20-\x7e]+$/;

const TEXTS = {
  limited: 'too many requests from this address',
  unavailable: 'the service answered',
  wrong_token: 'the token is not accepted',
  not_configured: 'no operator token is configured',
  malformed: 'the answer is not one of this service',
  unreachable: 'the network does not answer',
};
const KINDS: Record<number, Refusal['kind']> = { 401: 'wrong_token', 429: 'limited', 501: 'not_configured' };

/** Why there are no new numbers; its message is the end of a sentence. */
export class Refusal extends Error {
  constructor(
    readonly kind: keyof typeof TEXTS,
    readonly retryAfterSeconds = 0,
    readonly status?: number,
  ) {
    super(kind === 'unavailable' ? `${TEXTS[kind]} ${status}` : TEXTS[kind]);
  }
}

/** Whatever went wrong: nothing stops for an answer that could not be used. */
export function refusalFrom(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('malformed');
}

export interface Question {
  path: string;
  query: Record<string, string | number | undefined>;
}

interface Poll {
  asOf: string;
  lagSeconds: number;
  /** Null when nothing has changed. */
  changes: Changes | null;
}

/** Questions that are the same have the same text. */
export function addressOf({ path, query }: Question): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(said.map(([key, value]) => [key, String(value)])).toString()}`;
}

/** The only requests of this page: reads of its own origin, with the operator's token. */
export class AdminApi {
  constructor(private readonly token: string) {}

  /** @param since the version of an earlier answer; without one all is new */
  async changes(since: string | undefined, signal: AbortSignal): Promise<Poll> {
    const answer = await this.ask({ path: 'changes', query: { since } }, signal);
    if (answer.status !== 204) {
      const changes = await jsonOf<Changes>(answer, 'version');
      return { asOf: changes.as_of, lagSeconds: changes.lag_seconds, changes };
    }
    const [asOf, lagSeconds] = [answer.headers.get('x-as-of'), answer.headers.get('x-lag-seconds')];
    if (asOf === null || lagSeconds === null) throw new Refusal('malformed');
    return { asOf, lagSeconds: Number(lagSeconds), changes: null };
  }

  /** @param member without which an answer is of somebody else */
  async read<Answer>(question: Question, signal: AbortSignal, member = 'as_of'): Promise<Answer> {
    return jsonOf(await this.ask(question, signal), member);
  }

  /** @returns the lines of a file behind its head, whose fields have no comma */
  async lines(question: Question, signal: AbortSignal): Promise<string[][]> {
    const lines = (await textOf(await this.ask(question, signal))).split('\r\n').slice(1, -1);
    return lines.map((line) => line.split(','));
  }

  /** Waits as long as the signal says. @throws Refusal */
  async send(question: Question, signal: AbortSignal): Promise<Response> {
    if (!SENDABLE.test(this.token)) throw new Refusal('wrong_token');
    const answer = await fetch(`${ROOT}/${addressOf(question)}`, {
      headers: { 'x-admin-token': this.token },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal,
    }).catch(unreachable);
    const { ok, status, headers } = answer;
    if (ok) return answer;
    throw new Refusal(KINDS[status] ?? 'unavailable', Number(headers.get('retry-after')) || 0, status);
  }

  private ask(question: Question, signal: AbortSignal): Promise<Response> {
    return this.send(question, AbortSignal.any([signal, AbortSignal.timeout(GIVEN_UP_AFTER_MS)]));
  }
}

export function unreachable(): never {
  throw new Refusal('unreachable');
}

function textOf(answer: Response): Promise<string> {
  return answer.text().catch(unreachable);
}

/** Whatever else it throws means that the answer is malformed. */
async function jsonOf<Answer>(answer: Response, member: string): Promise<Answer> {
  const value = JSON.parse(await textOf(answer)) as Record<string, unknown>;
  if (value[member] === undefined) throw new Refusal('malformed');
  return value as Answer;
}

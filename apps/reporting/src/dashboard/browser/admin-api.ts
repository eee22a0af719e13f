import type { Changes } from './answers';
import { type Refusal, refusalOf, Refused } from './refusals';

const ROOT = '/v1/admin/revenue';
const GIVEN_UP_AFTER_MS = 10_000;

/** Valid in a header; with other characters `fetch` would throw. */
const SENDABLE = /^[\x20-\x7e]+$/;

/** One read: its path below the root, and what it is about. */
export interface Question {
  path: string;
  query: Record<string, string | number | undefined>;
}

/** The answer to a poll. */
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
    const answer = await this.send({ path: 'changes', query: { since } }, limited(signal));
    if (answer.status !== 204) {
      const changes = await jsonOf<Changes>(answer, 'version');
      return { asOf: changes.as_of, lagSeconds: changes.lag_seconds, changes };
    }
    const [asOf, lagSeconds] = [answer.headers.get('x-as-of'), answer.headers.get('x-lag-seconds')];
    if (asOf === null || lagSeconds === null) throw new Refused({ kind: 'malformed' });
    return { asOf, lagSeconds: Number(lagSeconds), changes: null };
  }

  /** @param member without which an answer is of somebody else */
  async read<Answer>(question: Question, signal: AbortSignal, member = 'as_of'): Promise<Answer> {
    return jsonOf(await this.send(question, limited(signal)), member);
  }

  /** @returns the lines of a file behind its head, whose fields have no comma */
  async lines(question: Question, signal: AbortSignal): Promise<string[][]> {
    const text = await textOf(await this.send(question, limited(signal)));
    return text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(','));
  }

  /** Waits as long as the signal says. @throws Refused */
  async send(question: Question, signal: AbortSignal): Promise<Response> {
    if (!SENDABLE.test(this.token)) throw new Refused({ kind: 'wrong_token' });
    const answer = await fetch(`${ROOT}/${addressOf(question)}`, {
      headers: { 'x-admin-token': this.token },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal,
    }).catch(unreachable);
    if (!answer.ok) throw new Refused(refusalOf(answer));
    return answer;
  }
}

export function isNotFound(refusal: Refusal): boolean {
  return refusal.kind === 'unavailable' && refusal.status === 404;
}

function limited(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(GIVEN_UP_AFTER_MS)]);
}

function unreachable(): never {
  throw new Refused({ kind: 'unreachable' });
}

function textOf(answer: Response): Promise<string> {
  return answer.text().catch(unreachable);
}

async function jsonOf<Answer>(answer: Response, member: string): Promise<Answer> {
  const value = parsed(await textOf(answer)) as Record<string, unknown> | null | undefined;
  if (value?.[member] === undefined) throw new Refused({ kind: 'malformed' });
  return value as Answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

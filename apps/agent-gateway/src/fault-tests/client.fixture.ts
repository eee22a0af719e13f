import { Agent, request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const DRIP_MS = 250;
const DRIPS = 20;
/** Longer than any answer of the gateway takes. */
const ANSWER_LIMIT_MS = 30_000;
/** No answer: the gateway closed the connection, or the sender gave up at the end of the run. */
const CLOSED = 'closed';
export const GIVEN_UP = 'given up';

export interface Shot {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** `dripped`: over several seconds. `never_finished`: byte by byte, for longer than the gateway waits. */
  manner: 'whole' | 'dripped' | 'never_finished';
}

/** A client with its own address. */
export class Client {
  private readonly agent: Agent;
  private readonly ends = new AbortController();

  constructor(
    private readonly url: string,
    private readonly address: string,
    maxSockets = Infinity,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** @returns the status with its error code, or how the connection ended without an answer */
  send({ path, headers, body, manner }: Shot): Promise<string> {
    const outgoing = request(this.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      localAddress: this.address,
      // A connection that stays open in the middle of a request cannot be reused.
      agent: manner === 'whole' ? this.agent : false,
      signal: AbortSignal.any([this.ends.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    if (manner === 'whole') outgoing.end(body);
    else Readable.from(drops(body, manner === 'dripped' ? Math.ceil(body.length / DRIPS) : 1)).pipe(outgoing);
    return new Promise<string>((resolve) => {
      outgoing.on('error', () => resolve(this.ends.signal.aborted ? GIVEN_UP : CLOSED));
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', () => undefined);
        response.on('close', () => resolve(response.complete ? named(response.statusCode!, text) : CLOSED));
      });
    }).finally(() => manner !== 'whole' && outgoing.destroy());
  }

  /** Aborts the requests that are still running. */
  close(): void {
    this.ends.abort();
    this.agent.destroy();
  }
}

async function* drops(body: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < body.length; at += size) {
    yield body.slice(at, at + size);
    await sleep(DRIP_MS, undefined, { ref: false });
  }
}

/** The status with the error code, which MCP puts into a result. */
function named(status: number, text: string): string {
  const code = /"error":\s*"(\w+)"/.exec(text)?.[1];
  return code ? `${status} ${code}` : String(status);
}

/** Begins work at a steady rate, without waiting for earlier work. @returns all results */
export async function pace<Result>(
  perSecond: number,
  seconds: number,
  begin: () => Promise<Result>,
): Promise<Result[]> {
  const startedMs = performance.now();
  const begun: Promise<Result>[] = [];
  while (begun.length < perSecond * seconds) {
    const waitMs = startedMs + (begun.length * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    begun.push(begin());
  }
  return Promise.all(begun);
}

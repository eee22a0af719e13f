import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

const DRIP_MS = 250;
const DRIPS = 20;
/** Longer than any answer of the gateway takes. */
const ANSWER_LIMIT_MS = 30_000;
/** The gateway closed the connection, or the sender gave up at the end of the run. */
export const NO_ANSWER = 'no answer';

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

  constructor(
    private readonly url: string,
    localAddress: string,
    connections: number | null = null,
  ) {
    this.agent = new Agent({ localAddress, connections, headersTimeout: ANSWER_LIMIT_MS });
  }

  /** @returns the status with its error code */
  async send({ path, headers, body, manner }: Shot): Promise<string> {
    try {
      const answer = await request(this.url + path, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        body: manner === 'whole' ? body : Readable.from(drops(body, manner)),
        dispatcher: this.agent,
      });
      // MCP puts the code into a result.
      const code = /"error":\s*"(\w+)"/.exec(await answer.body.text())?.[1];
      return code ? `${answer.statusCode} ${code}` : String(answer.statusCode);
    } catch {
      return NO_ANSWER;
    }
  }

  /** Aborts the requests that are still running. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}

async function* drops(body: string, manner: Shot['manner']): AsyncGenerator<string> {
  const size = manner === 'dripped' ? Math.ceil(body.length / DRIPS) : 1;
  for (let at = 0; at < body.length; at += size) {
    yield body.slice(at, at + size);
    await sleep(DRIP_MS, undefined, { ref: false });
  }
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

import { Agent, request, type ClientRequest } from 'node:http';
import { connect } from 'node:net';

/** One hostile request, and how it is sent. */
export interface Shot {
  path: string;
  headers: Record<string, string>;
  body: string;
  /**
   * - `whole`: the usual way.
   * - `dripped`: its body comes over several seconds.
   * - `never_finished`: its body comes byte by byte, and without an end.
   * - `half_closed`: the sender closes its direction after the request.
   * - `half_body`: the sender closes its direction in the middle of the body.
   */
  manner: 'whole' | 'dripped' | 'never_finished' | 'half_closed' | 'half_body';
}

/** A status with its error code, or how the connection ended without an answer. */
export type Outcome = string;

/** No answer: the gateway closed the connection, or the sender gave up at the end of the run. */
export const CLOSED = 'closed';
export const GIVEN_UP = 'given up';

const DRIP_MS = 250;
const DRIPS = 20;
/** Longer than any answer of the gateway takes. */
const ANSWER_LIMIT_MS = 30_000;

/** A client with its own address. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly ends = new AbortController();

  constructor(
    private readonly url: string,
    private readonly address: string,
  ) {}

  send(shot: Shot): Promise<Outcome> {
    if (shot.manner === 'half_closed' || shot.manner === 'half_body') return this.sendBytes(shot);
    return this.sendRequest(shot);
  }

  /** Aborts the requests that are still running. */
  close(): void {
    this.ends.abort();
    this.agent.destroy();
  }

  private sendRequest(shot: Shot): Promise<Outcome> {
    const { path, body, manner } = shot;
    const headers = { ...shot.headers, 'content-length': Buffer.byteLength(body) };
    // A connection that stays open in the middle of a request cannot be reused.
    const agent = manner === 'whole' ? this.agent : false;
    const signal = AbortSignal.any([this.ends.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    const outgoing = request(this.url + path, { method: 'POST', headers, localAddress: this.address, agent, signal });
    const dripping = manner === 'whole' ? void outgoing.end(body) : drip(outgoing, body, manner);
    return new Promise<Outcome>((resolve) => {
      outgoing.on('error', () => resolve(this.ends.signal.aborted ? GIVEN_UP : CLOSED));
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('close', () => resolve(response.complete ? named(response.statusCode!, text) : CLOSED));
      });
    }).finally(() => {
      clearInterval(dripping);
      if (manner !== 'whole') outgoing.destroy();
    });
  }

  private sendBytes({ path, headers, body, manner }: Shot): Promise<Outcome> {
    const { hostname, port } = new URL(this.url);
    const lines = Object.entries({
      host: `${hostname}:${port}`,
      ...headers,
      'content-length': Buffer.byteLength(body),
    });
    const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    const socket = connect({ host: hostname, port: Number(port), localAddress: this.address, allowHalfOpen: true });
    socket.end(head + (manner === 'half_body' ? body.slice(0, body.length / 2) : body));
    const signal = AbortSignal.any([this.ends.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    signal.addEventListener('abort', () => socket.destroy());
    return new Promise((resolve) => {
      let text = '';
      socket.setEncoding('latin1').on('data', (part: string) => (text += part));
      socket.on('end', () => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('close', () => {
        const [, status, content] = /^HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n([^]*)$/.exec(text) ?? [];
        if (status) return resolve(named(Number(status), content!));
        resolve(this.ends.signal.aborted ? GIVEN_UP : CLOSED);
      });
    });
  }
}

function drip(outgoing: ClientRequest, body: string, manner: Shot['manner']): NodeJS.Timeout {
  const size = manner === 'never_finished' ? 1 : Math.ceil(body.length / DRIPS);
  let sent = 0;
  return setInterval(() => {
    const isEnded = outgoing.writableEnded || outgoing.destroyed;
    if (isEnded || (manner === 'never_finished' && sent >= body.length - 1)) return;
    outgoing.write(body.slice(sent, sent + size));
    sent += size;
    if (sent >= body.length) outgoing.end();
  }, DRIP_MS);
}

/** The status with the error code, which MCP puts into a result. */
function named(status: number, text: string): Outcome {
  const code = /"error":\s*"(\w+)"/.exec(text)?.[1];
  return code ? `${status} ${code}` : String(status);
}

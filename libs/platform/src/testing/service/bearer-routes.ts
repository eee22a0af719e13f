import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { OpenApiDocument } from '@evenkeel/contracts';
import type { ForgedToken } from './forged-tokens';

const AT_ONCE = 8;
const LIMIT_MS = 20_000;

/** One operation that wants a bearer token. */
export interface BearerRoute {
  method: string;
  /** With ids of nothing in place of its parameters. */
  path: string;
}

/** The operations of a document that want a bearer token. */
export function bearerRoutes({ paths }: OpenApiDocument): BearerRoute[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((scheme) => 'bearerAuth' in scheme))
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, () => randomUUID()) })),
  );
}

interface Sent {
  route: BearerRoute;
  forged: ForgedToken;
}

/**
 * Sends forged tokens, several at a time, over connections that are kept.
 * @param url base address of the service
 * @returns those that were not refused with the 401 of an invalid token, with what they got
 */
export async function takenForgeries(url: string, all: readonly Sent[]): Promise<object[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const taken: object[] = [];
  const waiting = all.values();
  const work = async (): Promise<void> => {
    for (const { route, forged } of waiting) {
      const answer = await answerTo(url, route, forged.token, agent);
      if (!isRefusal(answer)) taken.push({ ...route, forged: forged.name, answer });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  return taken;
}

interface Answer {
  status: number;
  asks: string | undefined;
  body: string;
}

function answerTo(url: string, { method, path }: BearerRoute, token: string, agent: Agent): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent, signal: AbortSignal.timeout(LIMIT_MS) }, (answer) => {
      const { statusCode: status = 0, headers: given } = answer;
      text(answer).then((body) => resolve({ status, asks: given['www-authenticate'], body }), reject);
    });
    sent.on('error', reject).end();
  });
}

function isRefusal({ status, asks, body }: Answer): boolean {
  return status === 401 && asks === 'Bearer error="invalid_token"' && body.includes('"error":"unauthorized"');
}

/** A server of a forger, that gives keys of its own to anybody. */
export class Forger {
  /** Paths that it was asked for. */
  readonly asked: string[] = [];
  private readonly server = createServer(({ url = '' }, response) => {
    this.asked.push(url);
    response.end('{}');
  });

  static async start(): Promise<Forger> {
    const forger = new Forger();
    forger.server.listen(0, '127.0.0.1');
    await once(forger.server, 'listening');
    return forger;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }
}

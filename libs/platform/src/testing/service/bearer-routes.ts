import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenApiDocument } from '@evenkeel/contracts';
import type { ForgedToken } from './forged-tokens';
import { ask } from './serve-service';

const AT_ONCE = 8;

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
 * Sends forged tokens, several at a time.
 * @param url base address of the service
 * @returns those that were not refused with the 401 of an invalid token, with what they got
 */
export async function takenForgeries(url: string, all: readonly Sent[]): Promise<object[]> {
  const taken: object[] = [];
  const waiting = all.values();
  const work = async (): Promise<void> => {
    for (const { route, forged } of waiting) {
      const sent = { method: route.method, headers: { authorization: `Bearer ${forged.token}` } };
      const { status, headers, text, body } = await ask(url + route.path, sent);
      const asks = headers.get('www-authenticate');
      const isRefused = status === 401 && asks === 'Bearer error="invalid_token"' && body.error === 'unauthorized';
      if (!isRefused) taken.push({ ...route, forged: forged.name, answer: { status, asks, text } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return taken;
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
    await once(forger.server.listen(0, '127.0.0.1'), 'listening');
    return forger;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }
}

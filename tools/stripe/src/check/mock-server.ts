import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BillingCall } from './billing-calls';

const START_MS = 20_000;
const WAIT_MS = 50;

/** Stripe's own mock: it checks parameters against the schemas, and keeps nothing. */
export class MockServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {}

  /** @throws Error when it does not listen in time */
  static async start(program: string): Promise<MockServer> {
    const [http, https] = [await freePort(), await freePort()];
    const args = ['-http-addr', `127.0.0.1:${http}`, '-https-addr', `127.0.0.1:${https}`];
    const child = spawn(program, args, { stdio: 'ignore' });
    const server = new MockServer(child, `http://127.0.0.1:${http}`);
    for (let waited = 0; waited < START_MS; waited += WAIT_MS) {
      if (await server.listens()) return server;
      await sleep(WAIT_MS);
    }
    child.kill('SIGKILL');
    throw new Error(`${program} does not listen.`);
  }

  /** Sends a call. @returns null when it is accepted, else what is said against it */
  async send({ route, path, query, form, version }: BillingCall): Promise<string | null> {
    const [method] = route.split(' ');
    const [asked, body] = [query, form].map((values) => new URLSearchParams(values).toString()) as [string, string];
    const address = `${this.url}${path}${asked === '' ? '' : `?${asked}`}`;
    const headers = {
      authorization: 'Bearer sk_test_123',
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': version,
    };
    const response = await fetch(address, { method, headers, ...(body !== '' && { body }) });
    const text = await response.text();
    return response.ok ? null : `${response.status} ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async listens(): Promise<boolean> {
    return fetch(this.url).then(
      () => true,
      () => false,
    );
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAY_TO } from './gateway-programs.fixture';

/** Ways in which a service fails that is called with a key. All but the last two answer, and repeat what they know. */
export const FAILURES = ['500', 'refusal', 'html', 'redirect', 'garbage', 'hang', 'refused'] as const;
export type Failure = (typeof FAILURES)[number];

/**
 * Facilitator, list of settlements and chain at once: it fails on every request, and its error has the address by which it was
 * called, the headers that came, and a text of the test.
 */
export class LeakyService {
  /** Also: a facilitator of whom only settle fails, and a list with nonsense in place of names. */
  failure: Failure | 'verify-well' | 'false-list' = 'verify-well';
  private port = 0;
  private server = createServer();

  /** @param text is in every answer */
  private constructor(private readonly text: string) {}

  static async start(text: string): Promise<LeakyService> {
    const service = new LeakyService(text);
    await service.open();
    return service;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async fail(failure: Failure): Promise<void> {
    this.failure = failure;
    if (failure === 'refused') await this.close();
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async open(): Promise<void> {
    this.server = createServer((request, response) => this.answer(request, response)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
    const leak = `http://${this.host}${url} ${JSON.stringify(headers)} ${this.text}`;
    const send = (status: number, type: string, body: string, more = {}): void =>
      void response.writeHead(status, { 'content-type': type, ...more }).end(body);
    const json = (status: number, body: object): void => send(status, 'application/json', JSON.stringify(body));
    if (this.failure === 'hang') return;
    if (this.failure === 'verify-well' && url!.endsWith('/verify')) return json(200, { isValid: true });
    if (this.failure === 'false-list')
      return json(200, { settlements: [falseSettlement(`http://${this.host}${url}`)] });
    if (this.failure === 'html') return send(200, 'text/html', `<html>${leak}</html>`);
    if (this.failure === 'redirect') return send(302, 'text/plain', leak, { location: `http://${this.host}${url}` });
    if (this.failure === 'garbage') return send(200, 'application/json', `{"settlements": ${leak}`);
    if (this.failure === 'refusal') {
      const reason = { isValid: false, invalidReason: leak, success: false, errorReason: leak };
      return json(200, { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: leak }, ...reason });
    }
    return json(500, { error: leak, invalidReason: leak, errorReason: leak, message: leak });
  }
}

function falseSettlement(leak: string): object {
  const settledAt = new Date(Date.now() - 30 * 60_000).toISOString();
  return { payer: leak, nonce: leak, to: PAY_TO, value: '1', transaction: leak, settledAt };
}

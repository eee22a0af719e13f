import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAY_TO } from './programs.fixture';

/** Ways in which a service fails that is called with a key. All but the last two answer, and repeat what they know. */
export const FAILURES = ['500', 'refusal', 'html', 'redirect', 'garbage', 'hang', 'reset'] as const;
type Failure = (typeof FAILURES)[number];

/**
 * Facilitator, list of settlements and chain at once: it fails on every request, and its error has the address by which it was
 * called, the headers that came, and a text of the test.
 */
export class LeakyService {
  /** Also: a facilitator of whom only settle fails, and a list with nonsense in place of names. */
  failure: Failure | 'verify-well' | 'false-list' = 'verify-well';
  private readonly server = createServer((request, response) => this.answer(request, response));

  /** @param text is in every answer */
  private constructor(private readonly text: string) {}

  static async start(text: string): Promise<LeakyService> {
    const service = new LeakyService(text);
    service.server.listen(0, '127.0.0.1');
    await once(service.server, 'listening');
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
    const address = `http://${this.host}${url}`;
    const leak = `${address} ${JSON.stringify(headers)} ${this.text}`;
    const send = (status: number, body: unknown, more: Record<string, string> = {}): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(text);
    };
    const refusal = { isValid: false, invalidReason: leak, success: false, errorReason: leak };
    switch (this.failure) {
      case 'hang':
        return;
      case 'reset':
        return void response.destroy();
      case 'false-list':
        return send(200, { settlements: [falseSettlement(address)] });
      case 'html':
        return send(200, `<html>${leak}</html>`, { 'content-type': 'text/html' });
      case 'redirect':
        return send(302, leak, { location: address });
      case 'garbage':
        return send(200, `{"settlements": ${leak}`);
      case 'refusal':
        return send(200, { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: leak }, ...refusal });
      default:
        if (this.failure === 'verify-well' && url!.endsWith('/verify')) return send(200, { isValid: true });
        return send(500, { error: leak, invalidReason: leak, errorReason: leak, message: leak });
    }
  }
}

function falseSettlement(leak: string): object {
  const settledAt = new Date(Date.now() - 30 * 60_000).toISOString();
  return { payer: leak, nonce: leak, to: PAY_TO, value: '1', transaction: leak, settledAt };
}

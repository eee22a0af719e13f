import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StripeEvent } from './event-log';

/** A request as it came. */
export interface Received {
  body: string;
  signature: string;
  event: StripeEvent;
}

/** A webhook of ours, as far as Stripe sees it. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Statuses of the next answers; 200 when none is left. */
  answers: number[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const signature = request.headers['stripe-signature'] as string;
        receiver.received.push({ body, signature, event: JSON.parse(body) as StripeEvent });
        response.writeHead(receiver.answers.shift() ?? 200).end();
      });
    });
    const receiver = new WebhookReceiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/billing/webhook/stripe`;
  }

  get ids(): string[] {
    return this.received.map(({ event }) => event.id);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

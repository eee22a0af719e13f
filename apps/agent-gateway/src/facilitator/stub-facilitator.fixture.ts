import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@evenkeel/kernel';
import { type Environment, loadConfig } from '@evenkeel/platform/config';
import { Registry } from 'prom-client';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { analyze, anAuthorization, terms } from '../payments/payment.fixture';
import { Facilitator, type FacilitatorRequest } from './facilitator';
import { OfferRequirements } from './payment-requirements';

export interface HeardRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Behave = (request: HeardRequest, response: ServerResponse) => void;

const answerJson =
  (status: number, body: unknown): Behave =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** A server that answers calls as the test says, and records them. */
export class StubFacilitator {
  readonly heard: HeardRequest[] = [];
  behave: Behave = answerJson(500, {});
  private readonly server = createServer((request, response) => void this.handle(request, response));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answers(status: number, body: unknown): void {
    this.behave = answerJson(status, body);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const heard = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.heard.push(heard);
    this.behave(heard, response);
  }
}

/** Answer of `/supported`. */
export const VERSION_TWO = { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] };

export const REQUEST: FacilitatorRequest = {
  requirements: new OfferRequirements(terms).of(analyze, 2, 'http'),
  authorization: JSON.stringify(anAuthorization()),
  signature: `0x${'cd'.repeat(65)}`,
};

/** Speaks to the facilitator at this address; what answers is waited for as long as a busy machine needs. */
export function connect(url: string, clock: Clock, settings: Environment = {}, registry = new Registry()): Facilitator {
  const config = loadConfig(AgentGatewayConfig, {
    DATABASE_URL: 'postgres://localhost/none',
    X402_PAY_TO: terms.payTo,
    ANSWER_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    RECEIPT_KEYS: `k:${Buffer.alloc(32, 1).toString('base64')}`,
    FACILITATOR_URL: url,
    FACILITATOR_VERIFY_TIMEOUT_MS: '20000',
    FACILITATOR_SETTLE_TIMEOUT_MS: '20000',
    ...settings,
  });
  return new Facilitator(config, terms, clock, new GatewayMetrics(registry));
}

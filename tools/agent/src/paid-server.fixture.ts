import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';

const base = CHAINS[0]!;
const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

type Json = Record<string, unknown>;

export interface PaidServer {
  url: string;
  /** Requests with their bodies, in order. */
  requests: { headers: IncomingMessage['headers']; body: unknown }[];
  close(): void;
}

/** The smallest seller: a challenge of both versions, then verify and settle at the facilitator. */
export async function aPaidServer(facilitatorUrl: string): Promise<PaidServer> {
  const requests: PaidServer['requests'] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = (await request.toArray()) as Buffer[];
    requests.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const { priceMicros } = PAID_ENDPOINTS.find(({ path }) => path === request.url)!;
    const challenge = challengeFor(`${url}${request.url}`, String(priceMicros));
    const header = (request.headers['x-payment'] ?? request.headers['payment-signature']) as string | undefined;
    if (!header) return refuse(response, challenge, 'payment_required');

    const payment = decode(header);
    const paymentRequest = { x402Version: payment.x402Version, paymentPayload: payment };
    const paymentRequirements = payment.x402Version === 1 ? challenge.body.accepts[0] : challenge.header.accepts[0];
    const verdict = await post(`${facilitatorUrl}/verify`, { ...paymentRequest, paymentRequirements });
    if (!verdict.isValid) return refuse(response, challenge, verdict.invalidReason as string);
    const settled = await post(`${facilitatorUrl}/settle`, { ...paymentRequest, paymentRequirements });
    const receipt = encode({ ...settled, amount: String(priceMicros), status: 'settled' });
    response.writeHead(200, { 'PAYMENT-RESPONSE': receipt, 'X-PAYMENT-RESPONSE': receipt });
    response.end('{"generated_for_habits":2}');
  }

  return { url, requests, close: () => void server.close().closeAllConnections() };
}

function challengeFor(resource: string, amount: string) {
  const { address: asset, name, version } = base.usdc;
  const terms = { scheme: 'exact', asset, payTo, maxTimeoutSeconds: 300, extra: { name, version } };
  const copies = { scheme: 'exact', network: base.caip2, asset, payTo, amount };
  const listing = { description: 'Habit analysis', mimeType: 'application/json' };
  const v1 = {
    ...terms,
    network: 'base',
    networkCaip2: base.caip2,
    maxAmountRequired: amount,
    amount,
    resource,
    ...listing,
  };
  const paymentIdentifier = { info: { required: false }, schema: { type: 'object' } };
  return {
    body: {
      x402Version: 1,
      error: 'payment_required',
      message: 'X-PAYMENT header is required',
      ...copies,
      accepts: [{ ...v1, outputSchema: { input: { type: 'http', method: 'POST' }, output: { type: 'object' } } }],
      price: { usd: Number(amount) / 1e6, usd_exact: (Number(amount) / 1e6).toFixed(6) },
      details: { charged: false, retry: 'pay_again' },
      extensions: { preflight: { body_present: true, valid: true } },
    },
    header: {
      x402Version: 2,
      error: 'payment_required',
      resource: { url: resource, ...listing, serviceName: 'Habit Reliability Analytics' },
      accepts: [{ ...terms, network: base.caip2, amount }],
      extensions: { 'payment-identifier': paymentIdentifier },
      ...copies,
    },
  };
}

function refuse(response: ServerResponse, { body, header }: ReturnType<typeof challengeFor>, error: string): void {
  response.writeHead(402, { 'content-type': 'application/json', 'PAYMENT-REQUIRED': encode(header) });
  response.end(JSON.stringify({ ...body, error }));
}

async function post(url: string, body: Json): Promise<Json> {
  return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<Json>;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function decode(header: string): Json {
  return JSON.parse(Buffer.from(header, 'base64').toString()) as Json;
}

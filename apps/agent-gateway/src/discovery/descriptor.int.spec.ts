import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { PAID_ENDPOINTS, type PaidEndpoint, SERVICE } from '@evenkeel/contracts';
import * as engine from '@evenkeel/scoring';
import { type Gateway, startGateway } from '../gateway.fixture';
import { terms } from '../payments/payment.fixture';
import { llmsText, PAYMENT_PLACE } from './llms-text';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('GET /', () => {
  it('says what is for sale and where to read on', async () => {
    const { status, headers, body } = await gateway.send('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(body).toMatchObject({
      service: 'habit-reliability-analytics',
      version: SERVICE.version,
      payment: { protocol: 'x402', x402_version: 1, network: 'eip155:8453' },
      links: { pricing: '/agent/v1/pricing', openapi: '/openapi.json', health: '/health' },
    });
    expect(body.paid_endpoints).toEqual(
      PAID_ENDPOINTS.map(({ path, priceMicros, capabilities }) => ({
        method: 'POST',
        path,
        price_usd: priceMicros / 1_000_000,
        capability: capabilities[0],
      })),
    );
  });
});

describe('the vectors', () => {
  const PATH = '/agent/v1/vectors';

  interface Vectors {
    engine_version: string;
    functions: {
      function: string;
      endpoint: string | null;
      vectors: { name: string; input: object; output: Record<string, unknown> }[];
    }[];
  }
  let vectors: Vectors;
  beforeAll(async () => {
    vectors = (await gateway.send(PATH)).body as unknown as Vectors;
  });

  it('are those of the engine that answers, all of them', () => {
    const folder = dirname(require.resolve(`@evenkeel/scoring/vectors/${engine.ENGINE_VERSION}/analyzeHabits.json`));
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    expect(vectors.functions.map((one) => `${one.function}.json`).sort()).toEqual(files.sort());
    expect(vectors.engine_version).toBe(engine.ENGINE_VERSION);
    expect(vectors.functions.every((one) => one.vectors.length >= 5)).toBe(true);
  });
});

describe('/llms.txt', () => {
  let text: string;
  beforeAll(async () => {
    text = (await gateway.send('/llms.txt')).text;
  });

  /** Sends what is in the text, as it is there. HTTP ends its lines in its own way, nothing else is changed. */
  async function execute(message: string): Promise<{ status: number; head: string; body: Record<string, unknown> }> {
    const [head, body] = message.split('\n\n') as [string, string];
    const { hostname, port } = new URL(gateway.running.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`);
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      answer += String(chunk);
      const [start, rest] = answer.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(start!)?.[1];
      if (rest !== undefined && Buffer.byteLength(rest) >= Number(length)) break;
    }
    const [start, rest] = answer.split('\r\n\r\n') as [string, string];
    return { status: Number(start.split(' ')[1]), head: start, body: JSON.parse(rest) as Record<string, unknown> };
  }

  const messages = () => [...text.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, message]) => message!);
  const endpointOf = (message: string): PaidEndpoint =>
    PAID_ENDPOINTS.find(({ path }) => message.startsWith(`POST ${path} HTTP/1.1\n`))!;

  it('is a complete purchase: both requests work as written, with the payment filled in', async () => {
    const [first, second] = messages() as [string, string];
    expect(second.split('\n').filter((line) => !line.startsWith('X-PAYMENT: '))).toEqual(first.split('\n'));
    const endpoint = endpointOf(first);

    const offer = await execute(first);
    expect(offer.status).toBe(402);
    expect(offer.body).toMatchObject({ error: 'payment_required', extensions: { preflight: { valid: true } } });
    expect(offer.head).toMatch(/payment-required: /i);

    const payment = await gateway.aBuyer().sign({ endpoint });
    const paid = await execute(second.replace(PAYMENT_PLACE, payment.header));
    expect([paid.status, paid.body]).toEqual([200, endpoint.exampleResult]);
    expect(paid.head).toMatch(/payment-response: /i);
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ settle: 1 });
  });

  it('says that numbers of an authorization are texts, and the 402 says so of a number', async () => {
    expect(text).toMatch(/"value":"30000","validAfter":"0",[^]*Every member of authorization is a string/);
    const [, second] = messages() as [string, string];
    const endpoint = endpointOf(second);
    const { header } = await gateway.aBuyer().sign({ endpoint });
    const payment = JSON.parse(Buffer.from(header, 'base64').toString()) as {
      payload: { authorization: { value: unknown } };
    };
    payment.payload.authorization.value = endpoint.priceMicros;
    const numbered = Buffer.from(JSON.stringify(payment)).toString('base64');
    const { status, body } = await execute(second.replace(PAYMENT_PLACE, numbered));
    expect([status, body['error'], body['message']]).toEqual([
      402,
      'invalid_payment_payload',
      expect.stringMatching(/^value is a JSON number; it must be a string/),
    ]);
  });

  it('has the prescribed form, and links that answer', async () => {
    expect(text).toMatch(/^# Habit Reliability Analytics\n\n> \S/);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(['Offer', 'Prices', 'How to pay', 'Rebate', 'Errors', 'Limits', 'Links']);
    const links = [...text.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, address]) => address!);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) {
      expect([link, (await gateway.send(link.replace(terms.baseUrl, ''))).status]).toEqual([link, 200]);
    }
  });

  it('lists every price, and stays under 8 KB for a long address too', () => {
    for (const { path, priceMicros } of PAID_ENDPOINTS) {
      expect(text).toContain(`- POST ${path} ${(priceMicros / 1_000_000).toFixed(2)} USD. `);
    }
    const long = llmsText({
      terms: { ...terms, baseUrl: `https://${'long.'.repeat(30)}example` },
      offerDigest: 'a'.repeat(64),
      creditFaceMicros: 100_000,
      timeoutMs: 5_000,
      maxBodyBytes: 131_072,
      walletRate: { limit: 600, windowSeconds: 60 },
    });
    expect(Buffer.byteLength(long)).toBeLessThan(8_192);
  });
});

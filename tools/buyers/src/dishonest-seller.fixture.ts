import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * Its fault: another answer than that of the receipt, a key that has not signed it, a price of ten dollars, the same number in
 * a dear token, a dear price behind one that no client can pay, or a first answer to each payment that breaks off, or that a
 * proxy has replaced: its wait is a date, and its body cannot be read.
 */
export type Lie = 'answer' | 'key' | 'price' | 'token' | 'choice' | 'end' | 'proxy';

/** What it makes of the offer, as JSON. */
const OFFERS: Partial<Record<Lie, (offer: string) => string>> = {
  price: (offer) => offer.replaceAll('"amount":"30000"', '"amount":"10000000"'),
  // cbBTC: eight decimals, and payments are signed as for USDC.
  token: (offer) =>
    offer.replaceAll('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
  choice: (offer) =>
    offer.replace(/"accepts":\[(.*?\})\]/, (_, entry: string) => {
      const [free, dear] = [entry.replace('exact', 'upto'), entry.replace('"30000"', '"500000"')];
      return `"accepts":[${free},${dear}]`;
    }),
};

/** Headers about the received bytes, not about those sent on. */
const OF_THE_CONNECTION = ['connection', 'content-encoding', 'content-length', 'transfer-encoding'];

/** A seller that passes everything on to an honest one, and changes one thing on the way back. */
export async function dishonestSeller(honest: string, lie: Lie): Promise<{ url: string; close: () => void }> {
  const spoilt = new Set<string>();
  const server = createServer((request, response) => {
    void passOn(request, honest).then(async (answer) => {
      const headers = Object.fromEntries(answer.headers);
      for (const name of OF_THE_CONNECTION) delete headers[name];
      const text = await answer.text();
      const isAnswer = request.url!.startsWith('/agent/v1/habits') && answer.status === 200;
      const offer = Buffer.from(headers['payment-required'] ?? '', 'base64').toString();
      const changed = OFFERS[lie]?.(offer);
      if (changed) headers['payment-required'] = Buffer.from(changed).toString('base64');
      const payment = String(request.headers['payment-signature']);
      if ((lie === 'end' || lie === 'proxy') && isAnswer && !spoilt.has(payment)) {
        spoilt.add(payment);
        const instead = { 'content-encoding': 'gzip', 'retry-after': new Date().toUTCString() };
        if (lie === 'proxy') return void response.writeHead(503, instead).end('not gzip');
        response.writeHead(200, { ...headers, 'content-length': text.length });
        return void response.write(text.slice(0, 50), () => response.destroy());
      }
      response.writeHead(answer.status, headers);
      if (lie === 'key' && request.url!.endsWith('jwks.json')) response.end(withAnotherKey(text));
      else response.end(lie === 'answer' && isAnswer ? `${text} ` : text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close().closeAllConnections() };
}

async function passOn(request: IncomingMessage, to: string): Promise<Response> {
  const { host: _, connection: _c, ...headers } = request.headers as Record<string, string>;
  const body = request.method === 'POST' ? await buffer(request) : undefined;
  return fetch(to + request.url!, { method: request.method, headers, body });
}

function withAnotherKey(keySet: string): string {
  const [key] = (JSON.parse(keySet) as { keys: object[] }).keys;
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  return JSON.stringify({ keys: [{ ...key, x, y }] });
}

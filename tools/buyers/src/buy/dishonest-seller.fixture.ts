import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Its fault: another answer than that of the receipt, a key that has not signed it, or a price of ten dollars. */
export type Lie = 'answer' | 'key' | 'price';

/** Headers about the received bytes, not about those sent on. */
const OF_THE_CONNECTION = ['connection', 'content-encoding', 'content-length', 'transfer-encoding'];

/** A seller that passes everything on to an honest one, and changes one thing on the way back. */
export class DishonestSeller {
  private constructor(
    readonly url: string,
    readonly close: () => void,
  ) {}

  static async before(honest: string, lie: Lie): Promise<DishonestSeller> {
    const server = createServer((request, response) => {
      void passOn(request, honest).then(async (answer) => {
        const headers = Object.fromEntries(answer.headers);
        for (const name of OF_THE_CONNECTION) delete headers[name];
        const body = changed(await answer.text(), { lie, path: request.url!, status: answer.status, headers });
        response.writeHead(answer.status, headers).end(body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new DishonestSeller(`http://127.0.0.1:${port}`, () => void server.close().closeAllConnections());
  }
}

async function passOn(request: IncomingMessage, to: string): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { host: _, connection: _c, ...headers } = request.headers as Record<string, string>;
  const body = request.method === 'POST' ? Buffer.concat(chunks) : undefined;
  return fetch(to + request.url!, { method: request.method, headers, body });
}

interface Answer {
  lie: Lie;
  path: string;
  status: number;
  headers: Record<string, string>;
}

/** The text that goes out in its place; headers are changed as they are. */
function changed(text: string, { lie, path, status, headers }: Answer): string {
  if (lie === 'answer' && path.startsWith('/agent/v1/habits') && status === 200) return `${text} `;
  if (lie === 'price' && status === 402) {
    const offer = Buffer.from(headers['payment-required']!, 'base64').toString();
    const dear = offer.replaceAll('"amount":"30000"', '"amount":"10000000"');
    headers['payment-required'] = Buffer.from(dear).toString('base64');
  }
  if (lie !== 'key' || !path.endsWith('jwks.json')) return text;
  const [key] = (JSON.parse(text) as { keys: object[] }).keys;
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  return JSON.stringify({ keys: [{ ...key, x, y }] });
}

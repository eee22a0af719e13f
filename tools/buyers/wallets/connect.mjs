import { load } from './packages.mjs';

const ME = { name: 'evenkeel-wallets', version: '1.0.0' };
const PIN = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

/** @param line `sdk 1.x`, `client 2.x, old era` or `client 2.x, new era` */
export async function connect(line, url, fetch) {
  const old = line === 'sdk 1.x';
  const { Client, StreamableHTTPClientTransport } = old ? await sdk() : await load('@modelcontextprotocol/client');
  const client = new Client(ME, line.endsWith('new era') ? PIN : {});
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { fetch }));
  return client;
}

async function sdk() {
  const parts = ['index', 'streamableHttp'].map((part) => load(`@modelcontextprotocol/sdk/client/${part}.js`));
  return Object.assign({}, ...(await Promise.all(parts)));
}

/** A fetch that remembers the last request with a payment, to send it again as a broken connection would. */
export function repeatingFetch(isPaid) {
  let last;
  const fetch = (at, init) => {
    if (isPaid(init)) last = [at, { method: 'POST', headers: init.headers, body: init.body }];
    return globalThis.fetch(at, init);
  };
  return { fetch, repeat: () => globalThis.fetch(...last) };
}

/** A payment over MCP, under the key of whichever package. */
export function paysOverMcp(init) {
  return typeof init?.body === 'string' && /"x402[./]payment"/.test(init.body);
}

export async function resultOf(response) {
  return (await response.json()).result;
}

import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const ME = { name: 'evenkeel-wallets', version: '1.0.0' };
const PIN = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

/** The folder in which `fetchedPackages` has put the packages, an argument of the program. */
export const folder = process.argv[3];

/** Imports from there: our own packages are of other versions. */
export const { load } = await import(pathToFileURL(`${folder}/load.mjs`).href);

export async function accountOf(privateKey) {
  return (await load('viem/accounts')).privateKeyToAccount(privateKey);
}

/** @param line `sdk 1.x`, `client 2.x, old era` or `client 2.x, new era` */
export async function connect(line, url, fetch) {
  const parts = ['index', 'streamableHttp'].map((part) => `@modelcontextprotocol/sdk/client/${part}.js`);
  const loaded = await Promise.all((line === 'sdk 1.x' ? parts : ['@modelcontextprotocol/client']).map(load));
  const { Client, StreamableHTTPClientTransport } = Object.assign({}, ...loaded);
  const client = new Client(ME, line.endsWith('new era') ? PIN : {});
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { fetch }));
  return client;
}

/**
 * A fetch that remembers the last request with a payment, to send it again as a broken connection would.
 * @param isPaid by default: over MCP, under the key of whichever package
 */
export function repeatingFetch(isPaid = ({ body }) => /"x402[./]payment"/.test(String(body))) {
  let last;
  const fetch = (at, init = {}) => {
    if (isPaid(init)) last = [at, { method: 'POST', headers: init.headers, body: init.body }];
    return globalThis.fetch(at, init);
  };
  const repeat = () => globalThis.fetch(...last);
  return { fetch, repeat, repeatResult: async () => (await (await repeat()).json()).result };
}

/** Runs a program of a package to its end, with a home of its own. */
export function run(program, args, home) {
  const env = { PATH: process.env.PATH, HOME: home, MCPC_HOME_DIR: home };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

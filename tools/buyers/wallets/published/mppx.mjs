import { connect, repeatingFetch } from '../connect.mjs';
import { load } from '../packages.mjs';

const { Mppx, evm } = await load('mppx/client');
const { McpClient } = await load('mppx/mcp/client');
const { privateKeyToAccount } = await load('viem/accounts');

/** The reference of MPP. Over HTTP it pays an x402 offer as well; over MCP it looks for offers of MPP alone. */
export async function open({ url, privateKey, line = 'client 2.x, new era', approves = true, maxAtomic }) {
  const { fetch, repeat } = repeatingFetch((init) => new Headers(init?.headers).has('payment-signature'));
  const methods = [evm({ account: privateKeyToAccount(privateKey), maxAtomicAmount: maxAtomic })];
  let offers = null;
  const payer = Mppx.create({
    methods,
    polyfill: false,
    fetch,
    onChallenge: (challenge) => {
      offers = [challenge.request];
      if (!approves) throw new Error('User declined payment');
    },
  });
  const client = McpClient.wrap(await connect(line, url), { methods });
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => ({ result: await client.callTool({ name, arguments: input }), offers: null }),
    post: async (path, input) => {
      offers = null;
      const headers = { 'content-type': 'application/json' };
      const response = await payer.fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(input) });
      return { result: await answerOf(response), offers };
    },
    repeat: async () => answerOf(await repeat()),
    close: () => client.close(),
  };
}

async function answerOf(response) {
  return { status: response.status, body: await response.json(), headers: Object.fromEntries(response.headers) };
}

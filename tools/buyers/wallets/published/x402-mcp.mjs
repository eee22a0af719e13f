import { paysOverMcp, repeatingFetch, resultOf } from '../connect.mjs';
import { load } from '../packages.mjs';

const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { experimental_createMCPClient } = await load('ai');
const { privateKeyToAccount } = await load('viem/accounts');
const { withPayment } = await load('x402-mcp/client');

/**
 * Vercel's, for a language model: it calls a tool, reads the refusal, has an authorization made from the terms it has
 * read, and calls again. The model is played here, and knows no more than the schema of the tool that signs.
 */
export async function open({ url, privateKey, approves = true, maxAtomic }) {
  const { fetch, repeat } = repeatingFetch(paysOverMcp);
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { fetch });
  const client = await withPayment(await experimental_createMCPClient({ transport }), {
    account: privateKeyToAccount(privateKey),
    network: 'base',
    maxPaymentValue: maxAtomic && BigInt(maxAtomic),
  });
  const tools = await client.tools();
  const { generatePaymentAuthorization: signing } = tools;
  const told = { toolCallId: 'call', messages: [] };

  return {
    listTools: async () => Object.entries(tools).map(([name, { description }]) => ({ name, description })),
    call: async (name, input) => {
      const refusal = await tools[name].execute(input, told);
      const offers = objectsIn(refusal).filter((terms) => {
        return signing.inputSchema.safeParse({ paymentRequirements: terms }).success;
      });
      if (!approves || offers.length === 0) return { result: refusal, offers };
      const signed = await signing.execute({ paymentRequirements: offers[0] }, told);
      return { result: await tools[name].execute({ ...input, ...signed }, told), offers };
    },
    repeat: async () => resultOf(await repeat()),
    close: () => client.close(),
  };
}

function objectsIn(value) {
  if (value === null || typeof value !== 'object') return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

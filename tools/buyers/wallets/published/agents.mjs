import { connect, paysOverMcp, repeatingFetch, resultOf } from '../connect.mjs';
import { load } from '../packages.mjs';

const { withX402Client } = await load('agents/x402');
const { privateKeyToAccount } = await load('viem/accounts');

/** Cloudflare's: its owner confirms each purchase. */
export async function open({ url, privateKey, line = 'sdk 1.x', approves = true, maxAtomic }) {
  const { fetch, repeat } = repeatingFetch(paysOverMcp);
  let offers = null;
  const client = withX402Client(await connect(line, url, fetch), {
    account: privateKeyToAccount(privateKey),
    maxPaymentValue: maxAtomic && BigInt(maxAtomic),
    confirmationCallback: async (asked) => {
      offers = asked;
      return approves;
    },
  });
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => {
      offers = null;
      const result = await client.callTool(null, { name, arguments: input });
      return { result, offers };
    },
    repeat: async () => resultOf(await repeat()),
    close: () => client.close(),
  };
}

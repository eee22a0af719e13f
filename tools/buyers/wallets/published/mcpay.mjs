import { connect, paysOverMcp, repeatingFetch, resultOf } from '../connect.mjs';
import { load } from '../packages.mjs';

// The exports of `mcpay/client`: it is written for bundlers, which complete the names of files, and Node does not.
const { withX402Client } = await load('./node_modules/mcpay/dist/client/with-x402-client.js');
const { privateKeyToAccount } = await load('viem/accounts');

/** Its owner confirms each purchase; it knows version 1 alone. */
export async function open({ url, privateKey, line = 'sdk 1.x', approves = true, maxAtomic }) {
  const { fetch, repeat } = repeatingFetch(paysOverMcp);
  let offers = null;
  const client = withX402Client(await connect(line, url, fetch), {
    wallet: { evm: privateKeyToAccount(privateKey) },
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
      const result = await client.callTool({ name, arguments: input });
      return { result, offers };
    },
    repeat: async () => resultOf(await repeat()),
    close: () => client.close(),
  };
}

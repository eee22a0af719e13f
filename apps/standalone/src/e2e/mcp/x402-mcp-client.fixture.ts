import { x402Client } from '@x402/core/client';
import type { PaymentRequired } from '@x402/core/types';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { connect, type CallParams, type Connected, type Line, type Result } from './lines.fixture';

/**
 * Acts as `x402MCPClient` of `@x402/mcp`, with the protocol libraries that it uses itself: the offer is in
 * structuredContent of an error, else in its first text, and the payment goes back as an object. The package cannot be
 * installed from the registry; the wallets that can pay in person in wallets.e2e.spec.ts.
 */
export async function x402McpClient(line: Line, url: string): Promise<Connected> {
  const client = await connect(line, url);
  const signer = privateKeyToAccount(generatePrivateKey());
  const wallet = registerExactEvmScheme(new x402Client(), { signer });
  const callTool = async (params: CallParams): Promise<Result> => {
    const result = await client.callTool(params);
    const offer = offerIn(result);
    if (!offer) return result;
    const payment = await wallet.createPaymentPayload(offer);
    return client.callTool({ ...params, _meta: { ...params._meta, 'x402/payment': payment } });
  };
  return { listTools: () => client.listTools(), callTool, close: () => client.close() };
}

function offerIn({ isError, structuredContent, content }: Result): PaymentRequired | null {
  if (!isError) return null;
  const candidates = [structuredContent, parsed(content[0]?.text)] as (Partial<PaymentRequired> | undefined)[];
  const offer = candidates.find((candidate) => candidate?.x402Version && Array.isArray(candidate.accepts));
  return (offer as PaymentRequired | undefined) ?? null;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

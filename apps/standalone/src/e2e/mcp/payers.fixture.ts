import { x402Client } from '@x402/core/client';
import type { PaymentRequired } from '@x402/core/types';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createPaymentHeader } from 'x402/client';
import { PaymentRequirementsSchema, SupportedEVMNetworks } from 'x402/types';
import { connect, type CallParams, type Connected, type Line, type Result, type Tool } from './lines.fixture';

/**
 * How known clients look for the price and send the payment: each is what the named package does, with the protocol
 * libraries that it uses itself. The packages bring some hundred others, so they are not among our dependencies;
 * docs/adr/0013 says which of their releases paid in person.
 */
export interface Payer {
  /** Where its own receipt stands. */
  receipt: 'x402/payment-response' | 'x402.payment-response';
  open(line: Line, url: string): Promise<Connected>;
}

type Offer = Partial<Omit<PaymentRequired, 'accepts'>> & { accepts?: Requirement[] };
type Requirement = Record<string, unknown> & { scheme: string; network: string };
/** Makes the parameters of the paid call; null when it sees no price. */
type Pay = (result: Result, params: CallParams) => Promise<CallParams | null>;

const CAP_ATOMIC = 100_000n;

/** `@x402/mcp`: marked as an error, the offer in structuredContent, else in the first text; sends an object. */
function x402Mcp(): Pay {
  const client = signing();
  return async (result, params) => {
    const offer = offerIn(result);
    return offer && withMeta(params, { 'x402/payment': await client.createPaymentPayload(offer as PaymentRequired) });
  };
}

/** `agents` (Cloudflare): only `_meta["x402/error"]`, of which it takes the version 2 entry; sends base64. */
function agents(): Pay {
  const client = signing();
  return async (result, params) => {
    const error = result._meta?.['x402/error'] as Offer | undefined;
    if (!result.isError || !error?.accepts?.length) return null;
    const { x402Version = 2, resource, accepts, extensions } = structuredClone(error) as PaymentRequired;
    client.onBeforePaymentCreation(async ({ selectedRequirements: { amount } }) => {
      if (BigInt(amount) > CAP_ATOMIC) throw new Error('over the cap of this client');
    });
    const payment = await client.createPaymentPayload({ x402Version, resource, accepts, extensions });
    return withMeta(params, { 'x402/payment': btoa(JSON.stringify(payment)) });
  };
}

/** `mcpay`: the same place, but a version 1 entry with a network that it knows by name. */
function mcpay(): Pay {
  return async (result, params) => {
    const accepts = (result._meta?.['x402/error'] as Offer | undefined)?.accepts ?? [];
    const known = accepts.find(({ scheme, network }) => scheme === 'exact' && isKnown(network));
    if (!result.isError || !known) return null;
    if (BigInt(known['maxAmountRequired'] as string) > CAP_ATOMIC) throw new Error('over the cap of this client');
    return withMeta(params, { 'x402/payment': await versionOne(known) });
  };
}

/** `x402-mcp` (Vercel): its model copies a version 1 entry out of the result; the key has a dot. */
function x402DashMcp(): Pay {
  return async (result, params) => {
    const found = /\{"scheme":"exact","network":"base",.*?"extra":\{.*?\}.*?\}/.exec(JSON.stringify(result));
    return found && withMeta(params, { 'x402.payment': await versionOne(JSON.parse(found[0]) as Requirement) });
  };
}

const payingAfterRefusal = (make: () => Pay, receipt: Payer['receipt'] = 'x402/payment-response'): Payer => ({
  receipt,
  open: async (line, url) => {
    const client = await connect(line, url);
    const pay = make();
    const callTool = async (params: CallParams) => {
      const result = await client.callTool(params);
      const paid = await pay(result, params);
      return paid ? client.callTool(paid) : result;
    };
    return { listTools: () => client.listTools(), callTool, close: () => client.close() };
  },
});

/**
 * `@apify/mcpc`: pays before the first refusal, by what the list of tools says, in a header and in the parameters; keeps
 * one signature for all calls, until a result has a price.
 */
const mcpc: Payer = {
  receipt: 'x402/payment-response',
  open: async (line, url) => {
    const signer = signing();
    let kept: object | null = null;
    const header = (): Record<string, string> => (kept ? { 'PAYMENT-SIGNATURE': btoa(JSON.stringify(kept)) } : {});
    const client = await connect(line, url, (at, init) => {
      const isCall = typeof init?.body === 'string' && init.body.includes('"tools/call"');
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(isCall ? header() : {})) headers.set(name, value);
      return fetch(at, { ...init, headers });
    });
    const { tools } = await client.listTools();
    const sign = async (requirement: unknown, resource = { url: '' }) => {
      const offer = { x402Version: 2, resource, accepts: [requirement] } as PaymentRequired;
      kept = await signer.createPaymentPayload(offer);
    };
    const call = (params: CallParams) => client.callTool(withMeta(params, { 'x402/payment': kept }));
    const callTool = async (params: CallParams) => {
      const { paymentRequired, ...terms } = advertised(tools, params.name);
      if (paymentRequired && !kept) await sign(terms);
      const result = await call(params);
      const offer = offerIn(result);
      if (!offer) return result;
      await sign(offer.accepts![0], offer.resource);
      return call(params);
    };
    return { listTools: () => Promise.resolve({ tools }), callTool, close: () => client.close() };
  },
};

export const PAYERS: Readonly<Record<string, Payer>> = {
  '@x402/mcp': payingAfterRefusal(x402Mcp),
  agents: payingAfterRefusal(agents),
  mcpay: payingAfterRefusal(mcpay),
  'x402-mcp': payingAfterRefusal(x402DashMcp, 'x402.payment-response'),
  '@apify/mcpc': mcpc,
};

function signing(): x402Client {
  return registerExactEvmScheme(new x402Client(), { signer: privateKeyToAccount(generatePrivateKey()) });
}

function versionOne(requirement: Requirement): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey());
  return createPaymentHeader(account, 1, PaymentRequirementsSchema.parse(requirement));
}

function isKnown(network: string): boolean {
  return (SupportedEVMNetworks as readonly string[]).includes(network);
}

function offerIn({ isError, structuredContent, content }: Result): Offer | null {
  if (!isError) return null;
  const candidates = [structuredContent, parsed(content[0]?.text)] as (Offer | undefined)[];
  return candidates.find((candidate) => candidate?.x402Version && Array.isArray(candidate.accepts)) ?? null;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function advertised(tools: Tool[], name: string): Record<string, unknown> {
  return (tools.find((tool) => tool.name === name)?._meta?.['x402'] ?? {}) as Record<string, unknown>;
}

function withMeta(params: CallParams, meta: Record<string, unknown>): CallParams {
  return { ...params, _meta: { ...params._meta, ...meta } };
}

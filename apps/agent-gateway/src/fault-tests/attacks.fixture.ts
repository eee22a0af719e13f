import { analyze, aPayload, headerOf } from '../payments/payment.fixture';
import type { Buyer } from '../buyer.fixture';
import { HEADERS as MCP_HEADERS } from '../mcp/mcp.fixture';
import type { Shot } from './shot.fixture';

/** An attacker's wallets and random numbers; all but the keys come from the seed. */
export interface Attacker {
  random: () => number;
  /** The facilitator cannot decide about payments of this wallet. */
  undecided: string;
  /** The facilitator declines this wallet: 403 with `kyt_risk_detected`. */
  screened: string;
  /** Has money, and cancels each authorization as soon as it was verified. */
  cancelling: Buyer;
}

/** One request of an attack. */
export type Attack = (attacker: Attacker) => Shot | Promise<Shot>;

/** Payments that cannot pay. */
const wrongValue: Attack = (one) => call({ 'x-payment': headerOf(aForgery(one, { value: '49999' })) });
const undecodable: Attack = ({ random }) => call({ 'x-payment': hex(random, 200).slice(Math.floor(random() * 300)) });
const forgedSignature: Attack = (one) => call({ 'x-payment': headerOf(aForgery(one)) });
const randomCredit: Attack = (one) => call({ 'x-agent-credit': aCredit(one) });

/** Payments that use up the facilitator's time, or make it look broken. */
const undecidedVerify: Attack = (one) => call({ 'x-payment': headerOf(aForgery(one, { from: one.undecided })) });
const screenedPayer: Attack = (one) => call({ 'x-payment': headerOf(aForgery(one, { from: one.screened })) });
const cancelledAfterVerify: Attack = async ({ cancelling }) => call({ 'x-payment': (await cancelling.sign()).header });

/** Bodies that are expensive to validate. */
const largeBody: Attack = (one) => ({ ...forged(one), body: pick(one, LARGE_BODIES) });

/** Connections that stay open, or close in the middle of a request. */
const slowBody: Attack = (one) => ({ ...forged(one), manner: 'dripped' });
const endlessBody: Attack = (one) => ({ ...forged(one), manner: 'never_finished' });
const halfClosed: Attack = (one) => ({ ...forged(one), manner: 'half_closed' });
const halfBody: Attack = (one) => ({ ...forged(one), manner: 'half_body' });

/** The same over MCP. */
const mcpPayment: Attack = (one) => tool({ 'x402/payment': aForgery(one) });
const mcpUndecodable: Attack = ({ random }) => tool({ 'x402/payment': hex(random, 40) });
const mcpCredit: Attack = (one) => tool({ 'evenkeel/credit': aCredit(one) });

/** A short run sends most of the first one, which could open the circuit for all buyers. */
export const ATTACKS: Record<string, Attack> = {
  undecidedVerify,
  wrongValue,
  undecodable,
  forgedSignature,
  randomCredit,
  screenedPayer,
  cancelledAfterVerify,
  largeBody,
  slowBody,
  endlessBody,
  halfClosed,
  halfBody,
  mcpPayment,
  mcpUndecodable,
  mcpCredit,
};

function call(headers: Record<string, string>): Shot {
  return {
    path: analyze.path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(analyze.exampleInput),
    manner: 'whole',
  };
}

const forged = (one: Attacker): Shot => call({ 'x-payment': headerOf(aForgery(one)) });

function tool(meta: object): Shot {
  const params = { name: analyze.toolName, arguments: analyze.exampleInput, _meta: meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return { path: '/mcp', headers: MCP_HEADERS, body, manner: 'whole' };
}

/** Complete and as the offer requires, apart from `over`; no key belongs to its signature. */
function aForgery({ random }: Attacker, over: { value?: string; from?: string } = {}): object {
  const validBefore = String(Math.floor(Date.now() / 1_000) + 200);
  return aPayload({
    version: random() < 0.5 ? 1 : 2,
    authorization: { from: hex(random, 20), nonce: hex(random, 32), validBefore, ...over },
    signature: `${hex(random, 64)}1b`,
  });
}

function aCredit({ random }: Attacker): string {
  return `hrc_${Buffer.from(hex(random, 32).slice(2), 'hex').toString('base64url')}`;
}

function hex(random: () => number, bytes: number): string {
  return `0x${Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256))).toString('hex')}`;
}

const LARGE_BYTES = 85_000;

/** Bodies of 85 KB with thousands of mistakes each. */
const LARGE_BODIES = [
  filledWith((index) => `{"n${index}":[{}]}`),
  filledWith(() => '{}'),
  filledWith(() => '{"name":7,"completion_rate":"x","current_streak":-1}'),
  filledWith(() => '{"constructor":0}'),
  filledWith(() => '"\\ud800"'),
];

function filledWith(item: (index: number) => string): string {
  const items: string[] = [];
  for (let length = 0; length < LARGE_BYTES; length += items.at(-1)!.length + 1) items.push(item(items.length));
  return `{"habits":[${items.join(',')}]}`;
}

function pick<Item>({ random }: Attacker, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)]!;
}

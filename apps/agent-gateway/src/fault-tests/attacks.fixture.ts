import { randomBytes, randomInt } from 'node:crypto';
import type { ControlCommand } from '@evenkeel/facilitator';
import { SystemClock } from '@evenkeel/kernel';
import fc from 'fast-check';
import { Buyer } from '../buyer.fixture';
import { hex } from '../ledger/claim.fixture';
import { HEADERS as MCP_HEADERS } from '../mcp/mcp.fixture';
import { analyze, aPayload, headerOf } from '../payments/payment.fixture';
import { Client, pace, type Shot } from './client.fixture';

const pick = <Item>(items: readonly Item[]) => items[randomInt(items.length)]!;
const credit = () => `hrc_${randomBytes(32).toString('base64url')}`;

/** Complete and as the offer requires, apart from `over`; no key belongs to its signature. */
function forgery(over: { value?: string; from?: string } = {}): object {
  const validBefore = String(Math.floor(Date.now() / 1_000) + 200);
  const authorization = { from: hex(20), nonce: hex(32), validBefore, ...over };
  return aPayload({ version: pick([1, 2] as const), authorization, signature: `${hex(64)}1b` });
}

/** The wallets of one attacker. */
class Attacker {
  private readonly buyers = Array.from({ length: 3 }, () => new Buyer(new SystemClock()));
  /** The facilitator cannot decide about payments of this wallet. */
  readonly undecided = this.buyers[0]!.wallet;
  /** The facilitator declines this wallet: 403 with `kyt_risk_detected`. */
  readonly screened = this.buyers[1]!.wallet;
  /** Has money, and cancels each authorization as soon as it was verified. */
  readonly cancelling = this.buyers[2]!;
}

/** One request of an attack. */
type Attack = (attacker: Attacker) => Shot | Promise<Shot>;

/** Payments that cannot pay, or that use up the facilitator's time; bodies that are dear or never end; the same over MCP. */
const ATTACKS: Record<string, Attack> = {
  // A short run sends most of the first one, which could open the circuit for all buyers.
  undecidedVerify: (one) => paying(forgery({ from: one.undecided })),
  wrongValue: () => paying(forgery({ value: '49999' })),
  undecodable: () => call({ 'x-payment': hex(200).slice(randomInt(300)) }),
  forgedSignature: () => paying(forgery()),
  randomCredit: () => call({ 'x-agent-credit': credit() }),
  screenedPayer: (one) => paying(forgery({ from: one.screened })),
  cancelledAfterVerify: async ({ cancelling }) => call({ 'x-payment': (await cancelling.sign()).header }),
  largeBody: () => ({ ...paying(forgery()), body: pick(LARGE_BODIES) }),
  slowBody: () => ({ ...paying(forgery()), manner: 'dripped' }),
  endlessBody: () => ({ ...paying(forgery()), manner: 'never_finished' }),
  mcpPayment: () => tool({ 'x402/payment': forgery() }),
  mcpUndecodable: () => tool({ 'x402/payment': hex(40) }),
  mcpCredit: () => tool({ 'evenkeel/credit': credit() }),
};

function call(headers: Record<string, string>): Shot {
  const body = JSON.stringify(analyze.exampleInput);
  return { path: analyze.path, headers: { 'content-type': 'application/json', ...headers }, body, manner: 'whole' };
}

export function paying(payload: object | string): Shot {
  return call({ 'x-payment': typeof payload === 'string' ? payload : headerOf(payload) });
}

function tool(meta: object): Shot {
  const params = { name: analyze.toolName, arguments: analyze.exampleInput, _meta: meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return { path: '/mcp', headers: MCP_HEADERS, body, manner: 'whole' };
}

const LARGE_BYTES = 85_000;
const filledWith = (item: string) =>
  Array<string>(Math.ceil(LARGE_BYTES / item.length))
    .fill(item)
    .join(',');
/** With thousands of mistakes each. */
const LARGE_BODIES = ['{"n":[{}]}', '{"name":7,"completion_rate":"x"}', '{"constructor":0}', '"\\ud800"'].map(
  (item) => `{"habits":[${filledWith(item)}]}`,
);

/** All attackers send the same attack, then random ones for twice as long. */
const SAME_SECONDS = 4;
const ROUND_SECONDS = 12;
/** Enough for the answers of every attack that ends. */
const LAST_ANSWERS_SECONDS = 8;

/** Several attackers, each with its own address. */
export class Attackers {
  /** How often each attack had which outcome. */
  readonly outcomes: Record<string, Record<string, number>> = {};
  private readonly attackers: { client: Client; attacker: Attacker }[];

  constructor(
    url: string,
    addresses: readonly string[],
    private readonly seed: number,
    private readonly shotsPerSecond: number,
  ) {
    this.attackers = addresses.map((address) => ({ client: new Client(url, address), attacker: new Attacker() }));
  }

  /** Commands that tell the facilitator how to treat the attackers' wallets. */
  get commands(): ControlCommand[] {
    return this.attackers.flatMap(({ attacker: { undecided, screened, cancelling } }) => [
      { mode: 'invalid', reason: 'unexpected_verify_error', payer: undecided },
      { mode: 'invalid', reason: 'kyt_risk_detected', status: 403, payer: screened },
      { mode: 'cancelled-after-verify', payer: cancelling.wallet },
    ]);
  }

  async attack(seconds: number): Promise<void> {
    const attacks = this.attackers.map(({ attacker, client }, index) => {
      const names = this.namesOf(this.seed + index, this.shotsPerSecond * seconds);
      return pace(this.shotsPerSecond, seconds, async () => {
        const name = names.shift()!;
        const outcome = await client.send(await ATTACKS[name]!(attacker));
        const of = (this.outcomes[name] ??= {});
        of[outcome] = (of[outcome] ?? 0) + 1;
      });
    });
    const giveUp = () => this.attackers.forEach(({ client }) => void client.close());
    const ending = setTimeout(giveUp, (seconds + LAST_ANSWERS_SECONDS) * 1_000);
    await Promise.all(attacks);
    clearTimeout(ending);
    giveUp();
  }

  /** The same for the same seed. */
  private namesOf(seed: number, shots: number): string[] {
    const all = Object.keys(ATTACKS);
    return fc.sample(fc.constantFrom(...all), { seed, numRuns: shots }).map((name, shot) => {
      const second = shot / this.shotsPerSecond;
      const round = Math.floor(second / ROUND_SECONDS);
      return second % ROUND_SECONDS < SAME_SECONDS ? all[round % all.length]! : name;
    });
  }
}

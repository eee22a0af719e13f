import type { ControlCommand } from '@evenkeel/facilitator';
import { SystemClock } from '@evenkeel/kernel';
import { Buyer } from '../buyer.fixture';
import { HEADERS as MCP_HEADERS } from '../mcp/mcp.fixture';
import { analyze, aPayload, headerOf } from '../payments/payment.fixture';
import { Client, pace, type Shot } from './client.fixture';

/** An attacker's wallets and random numbers; all but the keys come from the seed. */
class Attacker {
  private readonly buyers = Array.from({ length: 3 }, () => new Buyer(new SystemClock()));
  /** The facilitator cannot decide about payments of this wallet. */
  readonly undecided = this.buyers[0]!.wallet;
  /** The facilitator declines this wallet: 403 with `kyt_risk_detected`. */
  readonly screened = this.buyers[1]!.wallet;
  /** Has money, and cancels each authorization as soon as it was verified. */
  readonly cancelling = this.buyers[2]!;

  constructor(private state: number) {}

  /** From 0 to 1, the same for the same seed (mulberry32). */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)]!;
  }

  hex(bytes: number): string {
    return `0x${Buffer.from(Array.from({ length: bytes }, () => Math.floor(this.random() * 256))).toString('hex')}`;
  }

  credit(): string {
    return `hrc_${Buffer.from(this.hex(32).slice(2), 'hex').toString('base64url')}`;
  }

  /** Complete and as the offer requires, apart from `over`; no key belongs to its signature. */
  forgery(over: { value?: string; from?: string } = {}): object {
    const validBefore = String(Math.floor(Date.now() / 1_000) + 200);
    return aPayload({
      version: this.pick([1, 2]),
      authorization: { from: this.hex(20), nonce: this.hex(32), validBefore, ...over },
      signature: `${this.hex(64)}1b`,
    });
  }
}

/** One request of an attack. */
type Attack = (attacker: Attacker) => Shot | Promise<Shot>;

/** Payments that cannot pay, or that use up the facilitator's time; bodies that are dear or never end; the same over MCP. */
const ATTACKS: Record<string, Attack> = {
  // A short run sends most of the first one, which could open the circuit for all buyers.
  undecidedVerify: (one) => paying(one.forgery({ from: one.undecided })),
  wrongValue: (one) => paying(one.forgery({ value: '49999' })),
  undecodable: (one) => call({ 'x-payment': one.hex(200).slice(Math.floor(one.random() * 300)) }),
  forgedSignature: (one) => paying(one.forgery()),
  randomCredit: (one) => call({ 'x-agent-credit': one.credit() }),
  screenedPayer: (one) => paying(one.forgery({ from: one.screened })),
  cancelledAfterVerify: async ({ cancelling }) => call({ 'x-payment': (await cancelling.sign()).header }),
  largeBody: (one) => ({ ...paying(one.forgery()), body: one.pick(LARGE_BODIES) }),
  slowBody: (one) => ({ ...paying(one.forgery()), manner: 'dripped' }),
  endlessBody: (one) => ({ ...paying(one.forgery()), manner: 'never_finished' }),
  mcpPayment: (one) => tool({ 'x402/payment': one.forgery() }),
  mcpUndecodable: (one) => tool({ 'x402/payment': one.hex(40) }),
  mcpCredit: (one) => tool({ 'evenkeel/credit': one.credit() }),
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
/** With thousands of mistakes each. */
const LARGE_BODIES = ['{"n":[{}]}', '{"name":7,"completion_rate":"x"}', '{"constructor":0}', '"\\ud800"'].map(
  (item) =>
    `{"habits":[${Array<string>(Math.ceil(LARGE_BYTES / item.length))
      .fill(item)
      .join(',')}]}`,
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
    seed: number,
    private readonly shotsPerSecond: number,
  ) {
    this.attackers = addresses.map((address, index) => {
      return { client: new Client(url, address), attacker: new Attacker(seed + index) };
    });
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
    const attacks = this.attackers.map(({ attacker, client }) => {
      let shots = 0;
      return pace(this.shotsPerSecond, seconds, async () => {
        const name = this.nameOf(shots++, attacker);
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

  private nameOf(shot: number, attacker: Attacker): string {
    const all = Object.keys(ATTACKS);
    const second = shot / this.shotsPerSecond;
    const round = Math.floor(second / ROUND_SECONDS);
    return second % ROUND_SECONDS < SAME_SECONDS ? all[round % all.length]! : attacker.pick(all);
  }
}

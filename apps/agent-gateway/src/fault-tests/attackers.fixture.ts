import type { ControlCommand } from '@evenkeel/facilitator';
import { SystemClock } from '@evenkeel/kernel';
import { Buyer } from '../buyer.fixture';
import { ATTACKS, type Attacker } from './attacks.fixture';
import { pace } from './honest-agent.fixture';
import { Client, type Outcome } from './shot.fixture';

/** All attackers send the same attack, then all attacks for twice as long. */
const SAME_SECONDS = 4;
const MIXED_SECONDS = 8;
/** Enough for the answers of every attack that ends. */
const LAST_ANSWERS_SECONDS = 8;

/** How often each attack had which outcome. */
export type Outcomes = Record<string, Record<Outcome, number>>;

/** Several attackers, each with its own address. */
export class Attackers {
  readonly outcomes: Outcomes = {};
  private readonly attackers: { address: string; attacker: Attacker; names: Iterator<string, never> }[];

  constructor(
    private readonly url: string,
    addresses: readonly string[],
    seed: number,
    private readonly shotsPerSecond: number,
  ) {
    this.attackers = addresses.map((address, index) => {
      const attacker = anAttacker(randomFrom(seed + index));
      return { address, attacker, names: order(attacker.random, shotsPerSecond) };
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
    const clients = this.attackers.map(({ address }) => new Client(this.url, address));
    const attacks = this.attackers.map(({ attacker, names }, index) =>
      pace(this.shotsPerSecond, seconds, async () => {
        const name = names.next().value;
        this.note(name, await clients[index]!.send(await ATTACKS[name]!(attacker)));
      }),
    );
    const giveUp = () => clients.forEach((client) => client.close());
    const ending = setTimeout(giveUp, (seconds + LAST_ANSWERS_SECONDS) * 1_000);
    await Promise.all(attacks);
    clearTimeout(ending);
    giveUp();
  }

  private note(name: string, outcome: Outcome): void {
    const of = (this.outcomes[name] ??= {});
    of[outcome] = (of[outcome] ?? 0) + 1;
  }
}

function anAttacker(random: () => number): Attacker {
  const buyers = Array.from({ length: 3 }, () => new Buyer(new SystemClock()));
  return { random, undecided: buyers[0]!.wallet, screened: buyers[1]!.wallet, cancelling: buyers[2]! };
}

/** The order of attacks: many of one kind, the same for all attackers, then all kinds in random order; again and again. */
function* order(random: () => number, perSecond: number): Generator<string, never> {
  const all = Object.keys(ATTACKS);
  for (let round = 0; ; round++) {
    for (let shot = 0; shot < SAME_SECONDS * perSecond; shot++) yield all[round % all.length]!;
    let rest: string[] = [];
    for (let shot = 0; shot < MIXED_SECONDS * perSecond; shot++) {
      if (rest.length === 0) rest = shuffled(all, random);
      yield rest.pop()!;
    }
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** From 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

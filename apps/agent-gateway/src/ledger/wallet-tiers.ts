import { REBATE_TIERS, rebateTierAt, type RebateTierName } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Deadline } from '../calls/call';

/** Tiers change with a payment at most, and every replica sees only its own. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 20_000;
/** A limit is not worth more of a request's time: a second, and the part reserved before a deadline. */
const READ_BUDGET_MS = 1_200;

/** The tiers of wallets that called lately. A tier that is not known is read from the ledger. */
@Injectable()
export class WalletTiers {
  private readonly seen = new Map<string, { tier: RebateTierName; untilMs: number }>();
  private readonly reading = new Map<string, Promise<RebateTierName>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  known(wallet: string): RebateTierName | undefined {
    const seen = this.seen.get(wallet);
    return seen && seen.untilMs > this.clock.now().getTime() ? seen.tier : undefined;
  }

  /** From a settlement. */
  learn(wallet: string, tier: RebateTierName): void {
    if (this.seen.size >= MAX_KNOWN) this.seen.clear();
    this.seen.set(wallet, { tier, untilMs: this.clock.now().getTime() + KNOWN_MS });
  }

  /** The lowest tier when the ledger does not answer: without the ledger the call fails anyway. */
  async read(wallet: string): Promise<RebateTierName> {
    const known = this.known(wallet);
    if (known) return known;
    let reading = this.reading.get(wallet);
    if (!reading) {
      reading = this.readLedger(wallet).finally(() => this.reading.delete(wallet));
      this.reading.set(wallet, reading);
    }
    return reading;
  }

  private async readLedger(wallet: string): Promise<RebateTierName> {
    try {
      const { tier } = rebateTierAt(await new Deadline(READ_BUDGET_MS).within(this.settledMicros(wallet)));
      this.learn(wallet, tier);
      return tier;
    } catch {
      return 'base';
    }
  }

  private async settledMicros(wallet: string): Promise<number> {
    const [row] = await this.dataSource.query<{ micros: string }[]>(
      'SELECT settled_micros AS micros FROM wallets WHERE address = $1',
      [wallet],
    );
    return Number(row?.micros ?? 0);
  }
}

const highestFirst = [...REBATE_TIERS].reverse();

function byTier(spentMicros: string, valueOf: (tier: (typeof REBATE_TIERS)[number]) => string): string {
  const cases = highestFirst.map((tier) => `WHEN ${spentMicros} >= ${tier.fromMicros} THEN ${valueOf(tier)}`);
  return `CASE ${cases.join(' ')} END`;
}

/** SQL for the name of the tier at a lifetime spend. */
export function tierNameSql(spentMicros: string): string {
  return byTier(spentMicros, ({ tier }) => `'${tier}'`);
}

/** SQL for the share of a price that is given back there, in per cent. */
export function tierPercentSql(spentMicros: string): string {
  return byTier(spentMicros, ({ ratePercent }) => String(ratePercent));
}

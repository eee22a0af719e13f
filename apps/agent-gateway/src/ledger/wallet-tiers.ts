import { rebateTierAt, type RebateTierName } from '@evenkeel/contracts';
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

import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { RebateTierName } from '@evenkeel/contracts';
import { Client } from 'pg';
import { type CopyStreamQuery, from } from 'pg-copy-streams';
import { endOf, type SeedOptions } from './seed-options';

const DAY_MS = 86_400_000;

/** One UTC day and how many payments it gets. */
export interface BusyDay {
  /** From 0. */
  index: number;
  date: string;
  startMs: number;
  endMs: number;
  payments: number;
}

/**
 * Spreads payments over days: three times as many at the end as at the beginning, two thirds on weekends. The last day may be
 * a part of one.
 */
export function busyDays({ payments, days, ...options }: SeedOptions): BusyDay[] {
  const endMs = endOf(options);
  const firstMs = startOfDay(endMs - 1) - (days - 1) * DAY_MS;
  const starts = Array.from({ length: days }, (_, index) => firstMs + index * DAY_MS);
  const ends = starts.map((startMs) => Math.min(startMs + DAY_MS, endMs));
  const weights = starts.map((startMs, index) => (weightOf(startMs, index / days) * (ends[index]! - startMs)) / DAY_MS);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [weight, given] = [0, 0];
  return weights.map((own, index) => {
    weight += own;
    // Rounded where the day ends, so that nothing is lost between days.
    const until = index === days - 1 ? payments : Math.round((payments * weight) / total);
    const startMs = starts[index]!;
    const date = new Date(startMs).toISOString().slice(0, 10);
    const day = { index, date, startMs, endMs: ends[index]!, payments: until - given };
    given = until;
    return day;
  });
}

function startOfDay(ms: number): number {
  return ms - (ms % DAY_MS);
}

function weightOf(startMs: number, progress: number): number {
  const weekday = new Date(startMs).getUTCDay();
  return (1 + 2 * progress) * (weekday === 0 || weekday === 6 ? 2 / 3 : 1);
}

export type MadeStatus = 'settled' | 'settlement_pending' | 'needs_reconciliation' | 'settlement_failed';

export interface MadePayment {
  id: string;
  /** Number of the wallet, from 0; the lowest pay most. */
  wallet: number;
  /** Place in the price list. */
  endpoint: number;
  amountMicros: number;
  status: MadeStatus;
  verifiedMs: number;
  /** Null unless final. */
  endedMs: number | null;
  served: boolean;
  transactionHash: string | null;
  tier: RebateTierName | null;
  rebateMicros: number;
  costMicros: number;
}

export interface MadeCredit {
  id: string;
  wallet: number;
  paymentId: string;
  tier: RebateTierName;
  issuedMs: number;
  redemption: MadeRedemption | null;
}

interface MadeRedemption {
  endpoint: number;
  priceMicros: number;
  changeMicros: number;
  costMicros: number;
  atMs: number;
}

const CHUNK_CHARACTERS = 1 << 16;

/** A row for COPY: texts, numbers, or null. */
export type Cells = (string | number | null)[];

/** Rows on their way into one table, on a connection of their own. */
export class CopyTable {
  private chunk = '';
  private failure: Error | null = null;

  private constructor(
    private readonly client: Client,
    private readonly stream: CopyStreamQuery,
  ) {
    stream.on('error', (error: Error) => (this.failure = error));
  }

  /** @param columns names, with commas */
  static async open(url: string, table: string, columns: string): Promise<CopyTable> {
    const client = new Client({ connectionString: url });
    await client.connect();
    // A seed that breaks off is begun again: there is nothing here worth a wait for the disk.
    await client.query('SET synchronous_commit = off');
    return new CopyTable(client, client.query(from(`COPY ${table} (${columns}) FROM STDIN`)));
  }

  /** Texts without tabs, line ends and backslashes. Call `drained` now and then. */
  add(row: Cells): void {
    this.chunk += `${row.map((cell) => cell ?? '\\N').join('\t')}\n`;
  }

  /** Sends what is due and waits while the database is busy: so no more than a few chunks are in memory. */
  async drained(): Promise<void> {
    if (this.chunk.length >= CHUNK_CHARACTERS) await this.send();
  }

  async finish(): Promise<void> {
    if (this.chunk !== '') await this.send();
    this.stream.end();
    await finished(this.stream);
    await this.client.end();
  }

  /** Leaves the table as it was. */
  async abandon(): Promise<void> {
    this.stream.destroy();
    await this.client.end().catch(() => undefined);
  }

  private async send(): Promise<void> {
    if (this.failure) throw this.failure;
    const { chunk } = this;
    this.chunk = '';
    if (!this.stream.write(chunk)) await once(this.stream, 'drain');
  }
}

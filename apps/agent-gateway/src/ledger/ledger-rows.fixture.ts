import type { DataSource } from 'typeorm';
import { PaymentRow } from './ledger.entities';
import type { PaymentState } from './payment-state';

/** All that the ledger has stored of one payment. */
export interface PaymentEntries {
  state: PaymentState;
  served: boolean;
  reason: string | null;
  transactionHash: string | null;
  /** Rows of each table that belong to it. */
  calls: number;
  answers: number;
  /** Whether the worker will look at it. */
  checked: boolean;
  /** Types of its events, in order. */
  events: string[];
}

export interface WalletRow {
  settledMicros: number;
  calls: number;
  unpaidCalls: number;
  eventSeq: number;
}

/** Reads the tables as an auditor would, without the code that wrote them. */
export class LedgerRows {
  constructor(readonly dataSource: DataSource) {}

  /** Fails when there is none. */
  async payment(nonce: string): Promise<PaymentRow> {
    return this.dataSource.getRepository(PaymentRow).findOneByOrFail({ nonce: nonce.toLowerCase() });
  }

  /** Null when nothing was written. */
  async entriesOf(nonce: string): Promise<PaymentEntries | null> {
    const [row] = await this.dataSource.query<[PaymentEntries?]>(
      `SELECT p.state, p.served, p.reason, p.transaction_hash AS "transactionHash",
         (SELECT count(*)::integer FROM calls WHERE payment_id = p.id) AS calls,
         (SELECT count(*)::integer FROM payment_answers WHERE payment_id = p.id) AS answers,
         EXISTS (SELECT FROM payment_checks WHERE payment_id = p.id) AS checked,
         ARRAY(SELECT type FROM outbox WHERE subject = p.id::text ORDER BY seq) AS events
       FROM payments p WHERE p.nonce = $1`,
      [nonce.toLowerCase()],
    );
    return row ?? null;
  }

  /** Makes the claims under way so much older: the database has its own time, which no test can move. */
  async ageClaims(durationMs: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE payments SET claimed_at = claimed_at - $1 * interval '1 ms' WHERE state = 'settling'`,
      [durationMs],
    );
  }

  async wallet(address: string): Promise<WalletRow | null> {
    const [row] = await this.dataSource.query<[WalletRow?]>(
      `SELECT settled_micros::integer AS "settledMicros", calls, unpaid_calls AS "unpaidCalls", event_seq::integer AS "eventSeq"
       FROM wallets WHERE address = $1`,
      [address],
    );
    return row ?? null;
  }

  async events(nonce: string): Promise<Record<string, unknown>[]> {
    const rows = await this.dataSource.query<{ payload: Record<string, unknown> }[]>(
      `SELECT o.payload FROM outbox o JOIN payments p ON o.subject = p.id::text WHERE p.nonce = $1 ORDER BY o.seq`,
      [nonce.toLowerCase()],
    );
    return rows.map(({ payload }) => payload);
  }
}

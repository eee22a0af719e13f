import type { PaymentState } from './payment-state';
import { PaymentRow } from './ledger.entities';
import type { DataSource } from 'typeorm';
import { randomBytes } from 'node:crypto';
import { CREDIT_FACE_MICROS } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import { analyze, base, noon } from '../payments/payment.fixture';
import type { AnswerRecord, CreditOffer } from './answers';
import type { Claim } from './claim-payments';
import type { Settlement } from './record-settlements';

export const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;

/** A payment that verified, about to be settled. */
export function aClaim(over: Partial<Claim> = {}): Claim {
  return {
    id: uuidv7(noon),
    chainId: base.chainId,
    asset: base.usdc.address.toLowerCase(),
    payer: hex(20),
    nonce: hex(32),
    endpoint: analyze.path,
    priceMicros: analyze.priceMicros,
    fingerprint: 'f',
    payloadDigest: 'd',
    paymentIdentifier: null,
    idempotencyKey: null,
    authorization: '{}',
    signature: '0x',
    requirementsId: 1,
    v2Grade: true,
    requestId: 'request-1',
    costMicros: 400,
    verifiedAt: noon,
    createdAt: noon,
    validBefore: new Date(noon.getTime() + 300_000),
    ...over,
  };
}

export function anAnswer(over: Partial<AnswerRecord> = {}): AnswerRecord {
  const expiresAt = new Date(noon.getTime() + 3_600_000);
  const body = Buffer.from('{}');
  const answer = { callId: uuidv7(noon), status: 200, body, engineVersion: '1.0.0', receipt: null, expiresAt };
  return { ...answer, credit: null, ...over };
}

/** Of an answer that takes a credit with it, if one is due. */
export function aCreditOffer(): CreditOffer {
  const token = { clear: '', hash: randomBytes(32).toString('hex'), sealed: randomBytes(32) };
  return { id: uuidv7(noon), eventId: uuidv7(noon), token, faceMicros: CREDIT_FACE_MICROS, expiresAt: null };
}

export function aSettlement(payment: Claim, over: Partial<Settlement> = {}): Settlement {
  return { payment, transactionHash: hex(32), settledAt: noon, answer: anAnswer(), ...over };
}

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

export interface WalletBalances {
  /** Face issued + accrued − earned − change: 0. */
  difference: number;
  issuedMicros: number;
  accruedMicros: number;
  earnedMicros: number;
  changeMicros: number;
  settledMicros: number;
  issued: number;
  redeemed: number;
}

export interface AnnouncedEvent {
  seq: number;
  type: string;
  subject: string;
  payload: Record<string, unknown>;
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

  /** Holds what a statement locks. @returns what ends it */
  async lock(sql: string): Promise<() => Promise<void>> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await runner.query(sql);
    return async () => {
      await runner.rollbackTransaction();
      await runner.release();
    };
  }

  /** How many statements wait for a row. */
  async waitingForRows(): Promise<number> {
    const waiting = `datname = current_database() AND wait_event IN ('transactionid', 'tuple')`;
    return (await this.dataSource.query<unknown[]>(`SELECT FROM pg_stat_activity WHERE ${waiting}`)).length;
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

  /** The credits of a wallet as an auditor would add them up. */
  async balances(wallet: string): Promise<WalletBalances> {
    const [balances] = await this.dataSource.query<[WalletBalances]>(
      `SELECT *, "issuedMicros" + "accruedMicros" - "earnedMicros" - "changeMicros" AS difference FROM (
         SELECT coalesce(sum(c.face_micros), 0)::float8 AS "issuedMicros", coalesce(sum(c.change_micros), 0)::float8 AS "changeMicros",
           count(c.id)::integer AS issued, count(c.redeemed_at)::integer AS redeemed, w.accrued_micros::float8 AS "accruedMicros",
           w.earned_micros::float8 AS "earnedMicros", w.settled_micros::float8 AS "settledMicros"
         FROM wallets w LEFT JOIN credits c ON c.payer = w.address WHERE w.address = $1 GROUP BY w.address
       ) AS sums`,
      [wallet],
    );
    return balances;
  }

  /** The events of a wallet, in its own order. */
  async eventsOf(wallet: string): Promise<AnnouncedEvent[]> {
    return this.dataSource.query<AnnouncedEvent[]>(
      `SELECT aggregate_seq::integer AS seq, type, subject, payload FROM outbox WHERE aggregate = $1 ORDER BY aggregate_seq`,
      [wallet],
    );
  }

  /** Puts a wallet near a tier or near a credit without hundreds of payments; its difference stays 0. */
  async seed(wallet: string, { settledMicros = 0, accruedMicros = 0 }: Partial<WalletBalances>): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO wallets (address, settled_micros, accrued_micros, earned_micros) VALUES ($1, $2, $3, $3)`,
      [wallet, settledMicros, accruedMicros],
    );
  }
}

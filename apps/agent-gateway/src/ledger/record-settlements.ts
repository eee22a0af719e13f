import type { RebateTierName } from '@evenkeel/contracts';
import { readMicros, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Deadline } from '../calls/call';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import type { AnswerRecord, CreditOffer, IssuedCredit } from './answers';
import { Batcher, inputRows, type InputColumn } from './batched-statements';
import { type Claim, paymentEvent } from './claim-payments';
import { ledgerPool, lockedOrThrow, WalletQueue } from './ledger-pool';
import { settleFrom } from './settle-statement';
import { WalletTiers } from './wallet-tiers';

export interface Settlement {
  payment: Claim;
  transactionHash: string | null;
  /** Which transfer of the transaction paid it, where the chain was read or an operator said so: no other payment may name it. */
  logIndex?: number;
  settledAt: Date;
  /** The 200 that goes out with it; null when it settles in the background. */
  answer: AnswerRecord | null;
  /** Of the request that settles it, where that is traced. */
  traceparent?: string | null;
}

const COLUMNS: readonly InputColumn<Settlement>[] = [
  ['id', 'uuid', ({ payment }) => payment.id],
  ['transaction_hash', 'text', ({ transactionHash }) => transactionHash],
  ['log_index', 'integer', ({ logIndex }) => logIndex ?? null],
  ['settled_at', 'timestamptz', ({ settledAt }) => settledAt],
  ['answer_body', 'bytea', ({ answer }) => answer?.body ?? null],
  ['engine_version', 'text', ({ answer }) => answer?.engineVersion ?? null],
  ['receipt', 'text', ({ answer }) => answer?.receipt ?? null],
  ['expires_at', 'timestamptz', ({ answer }) => answer?.expiresAt ?? null],
  ['call_id', 'uuid', ({ answer }) => answer?.callId ?? null],
  ['event_id', 'uuid', ({ settledAt }) => uuidv7(settledAt)],
  // The statement adds what only it knows: the total of the wallet makes tier and rebate, and the ledger may have a hash.
  ['event', 'text', ({ payment, settledAt }) => JSON.stringify({ ...paymentEvent(payment), settledAt })],
  ['face_micros', 'bigint', ({ answer }) => answer?.credit?.faceMicros ?? null],
  ['credit', 'text', ({ answer }) => (answer?.credit ? creditJson(answer.credit) : null)],
  ['traceparent', 'text', ({ traceparent }) => traceparent ?? null],
];
const input = inputRows(COLUMNS);

const SETTLE = { name: 'record-settlements', text: settleFrom(input.rows, 'SKIP LOCKED') };
const SETTLE_LOCKED = { name: 'record-locked-settlement', text: settleFrom(input.rows, 'wait') };

/** The transfer that is named has paid another payment: a person must look at both. */
export class TransferTaken extends Error {
  override readonly name = 'TransferTaken';
}

/** The log index of a transfer whose transaction alone is known: of one transaction, that is believed once. */
export const UNKNOWN_LOG_INDEX = -1;

export interface Recorded {
  /** Nothing, when it was settled before; `answered` when its answer was taken too, and is the first one of the payment. */
  change: 'answered' | 'settled' | 'unchanged';
  /** Issued with the answer. */
  credit: IssuedCredit | null;
  /** The hash that the ledger had already, when the settlement came without one. */
  knownHash?: string;
}

const UNCHANGED: Recorded = { change: 'unchanged', credit: null };

/** Everything that becomes true when a payment has settled. */
@Injectable()
export class RecordSettlements {
  private readonly batcher = new Batcher<Settlement, Recorded | 'locked'>((settlements) => this.write(settlements));
  private readonly queue = new WalletQueue();

  constructor(
    private readonly dataSource: DataSource,
    private readonly tiers: WalletTiers,
    private readonly metrics: GatewayMetrics,
  ) {}

  /**
   * May be repeated: nothing is counted twice.
   * @param deadline until then rows that another session has locked are tried again; by default for two seconds
   * @throws TransferTaken
   */
  async record(settlement: Settlement, deadline?: Deadline): Promise<Recorded> {
    try {
      const recorded = await this.batcher.add(settlement).catch(lockedOrThrow);
      if (recorded !== 'locked') return recorded;
      return await this.queue.run(settlement.payment.payer, () => this.writeLocked(settlement), deadline);
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== 'payment_transfers_pkey') throw error;
      throw new TransferTaken(`The transfer ${transferName(settlement)} has paid another payment.`);
    }
  }

  private async write(settlements: Settlement[]): Promise<(Recorded | 'locked')[]> {
    const rows = await this.query(SETTLE, settlements);
    // When a batch has two settlements of one payment, the statement takes one, with its answer.
    return settlements.map((settlement) => this.outcomeOf(settlement, rows) ?? 'locked');
  }

  private async writeLocked(settlement: Settlement): Promise<Recorded> {
    const recorded = this.outcomeOf(settlement, await this.query(SETTLE_LOCKED, [settlement]));
    if (!recorded) throw new Error(`payment ${settlement.payment.id} or its wallet has no row`);
    return recorded;
  }

  private async query(
    statement: { name: string; text: string },
    settlements: Settlement[],
  ): Promise<Map<string, SettledRow>> {
    const values = input.values(settlements);
    const { rows } = await ledgerPool(this.dataSource).query<SettledRow>({ ...statement, values });
    this.metrics.paymentsEnded('settled', rows.filter(({ is_new: isNew }) => isNew).length);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Undefined when the payment or its wallet was locked. */
  private outcomeOf(settlement: Settlement, rows: ReadonlyMap<string, SettledRow>): Recorded | undefined {
    const row = rows.get(settlement.payment.id);
    if (!row?.is_new) return row && UNCHANGED;
    this.tiers.learn(settlement.payment.payer, row.tier);
    return row.call_id === (settlement.answer?.callId ?? null) ? recordedBy(row, settlement) : UNCHANGED;
  }
}

function transferName({ transactionHash, logIndex }: Settlement): string {
  return logIndex === UNKNOWN_LOG_INDEX ? `of ${transactionHash}` : `${transactionHash}:${logIndex}`;
}

/** A payment that the statement has settled, or that was settled before. */
interface SettledRow {
  id: string;
  is_new: boolean;
  call_id: string | null;
  known_hash: string | null;
  answered: boolean;
  tier: RebateTierName;
  /** Null when no credit was due. */
  accrued_after: string | null;
}

function recordedBy(row: SettledRow, { transactionHash }: Settlement): Recorded {
  const { answered, tier, accrued_after: accruedAfter, known_hash: knownHash } = row;
  const credit = accruedAfter === null ? null : { tier, accruedAfterMicros: readMicros(accruedAfter) };
  const recorded: Recorded = { change: answered ? 'answered' : 'settled', credit };
  return transactionHash === null && knownHash !== null ? { ...recorded, knownHash } : recorded;
}

/** One value, because few statements open it: most answers take no credit. */
function creditJson({ id, eventId, token, expiresAt }: CreditOffer): string {
  return JSON.stringify({ id, eventId, tokenHash: token.hash, token: token.sealed.toString('base64'), expiresAt });
}

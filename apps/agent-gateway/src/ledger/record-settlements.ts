import type { PaymentSettled, RebateTierName } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import type { AnswerRecord } from './answer-record';
import { Batcher } from './batcher';
import { issuedCredit, type CreditOffer, type IssuedCredit, type IssuedRow } from './credit-offer';
import { inputRows, type InputColumn } from './input-rows';
import { settleFrom } from './settle-statement';
import { WalletTiers } from './wallet-tiers';
import type { Claim } from './claim-payments';

export interface Settlement {
  payment: Claim;
  transactionHash: string | null;
  settledAt: Date;
  /** The 200 that goes out with it; null when it settles in the background. */
  answer: AnswerRecord | null;
}

const COLUMNS: readonly InputColumn<Settlement>[] = [
  ['id', 'uuid', ({ payment }) => payment.id],
  ['transaction_hash', 'text', ({ transactionHash }) => transactionHash],
  ['settled_at', 'timestamptz', ({ settledAt }) => settledAt],
  ['answer_status', 'smallint', ({ answer }) => answer?.status ?? null],
  ['answer_body', 'bytea', ({ answer }) => answer?.body ?? null],
  ['engine_version', 'text', ({ answer }) => answer?.engineVersion ?? null],
  ['receipt', 'text', ({ answer }) => answer?.receipt ?? null],
  ['expires_at', 'timestamptz', ({ answer }) => answer?.expiresAt ?? null],
  ['call_id', 'uuid', ({ answer }) => answer?.callId ?? null],
  ['event_id', 'uuid', ({ settledAt }) => uuidv7(settledAt)],
  ['event', 'text', (settlement) => JSON.stringify(eventData(settlement))],
  ['face_micros', 'bigint', ({ answer }) => answer?.credit?.faceMicros ?? null],
  ['credit', 'text', ({ answer }) => (answer?.credit ? creditJson(answer.credit) : null)],
];
const input = inputRows(COLUMNS);

const SETTLE_ONE = { name: 'record-settlement', text: settleFrom(input.one) };
const SETTLE_MANY = { name: 'record-settlements', text: settleFrom(input.many) };

/** What a settlement changed. */
export interface Recorded {
  /** Nothing, when it was settled before; `answered` when its answer was taken too, and is the first one of the payment. */
  change: 'answered' | 'settled' | 'unchanged';
  /** Issued with the answer. */
  credit: IssuedCredit | null;
}

const UNCHANGED: Recorded = { change: 'unchanged', credit: null };

/** Everything that becomes true when a payment has settled. */
@Injectable()
export class RecordSettlements {
  private readonly batcher = new Batcher<Settlement, Recorded>((settlements) => this.write(settlements));

  constructor(
    private readonly dataSource: DataSource,
    private readonly tiers: WalletTiers,
    private readonly metrics: GatewayMetrics,
  ) {}

  /** However often: nothing is counted twice. */
  record(settlement: Settlement): Promise<Recorded> {
    return this.batcher.add(settlement);
  }

  private async write(settlements: Settlement[]): Promise<Recorded[]> {
    const statement = settlements.length === 1 ? SETTLE_ONE : SETTLE_MANY;
    const values = input.values(settlements);
    const { rows } = await poolOf(this.dataSource).query<SettledRow>({ ...statement, values });
    this.metrics.paymentsEnded('settled', rows.length);
    const changes = new Map(rows.map((row) => [row.id, row]));
    // Of two settlements of one payment in a batch the statement takes one, with its answer.
    return settlements.map(({ payment, answer }) => {
      const row = changes.get(payment.id);
      if (row) this.tiers.learn(payment.payer, row.tier);
      return row && row.call_id === (answer?.callId ?? null) ? recordedBy(row) : UNCHANGED;
    });
  }
}

interface SettledRow extends IssuedRow {
  id: string;
  call_id: string | null;
  answered: boolean;
  tier: RebateTierName;
}

function recordedBy(row: SettledRow): Recorded {
  return { change: row.answered ? 'answered' : 'settled', credit: issuedCredit(row) };
}

/** One value, because few statements open it: most answers take no credit. */
function creditJson({ id, eventId, token, expiresAt }: CreditOffer): string {
  return JSON.stringify({ id, eventId, tokenHash: token.hash, token: token.sealed.toString('base64'), expiresAt });
}

/** Tier and rebate are added by the statement, which alone knows the wallet's total. */
function eventData({ payment, transactionHash, settledAt }: Settlement): Omit<PaymentSettled, 'tier' | 'rebateMicros'> {
  return {
    paymentId: payment.id,
    wallet: payment.payer,
    endpoint: payment.endpoint,
    amountMicros: payment.priceMicros,
    chainId: payment.chainId,
    asset: payment.asset,
    transactionHash,
    verifiedAt: payment.verifiedAt.toISOString(),
    settledAt: settledAt.toISOString(),
    attributedCostMicros: payment.costMicros,
    requestId: payment.requestId,
  };
}

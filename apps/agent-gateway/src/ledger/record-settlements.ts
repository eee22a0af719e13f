import { PaymentSettled, REBATE_TIERS } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import { poolOf } from '@evenkeel/platform';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AnswerRecord } from './answer-record';
import { Batcher } from './batcher';
import { inputRows, type InputColumn } from './input-rows';
import { statesLeftBy } from './payment-state';
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
  ['settled_at', 'timestamptz', ({ settledAt }) => settledAt.toISOString()],
  ['answer_status', 'smallint', ({ answer }) => answer?.status ?? null],
  ['answer_body', 'bytea', ({ answer }) => answer?.body ?? null],
  ['engine_version', 'text', ({ answer }) => answer?.engineVersion ?? null],
  ['expires_at', 'timestamptz', ({ answer }) => answer?.expiresAt.toISOString() ?? null],
  ['call_id', 'uuid', ({ answer }) => answer?.callId ?? null],
  ['event_id', 'uuid', ({ settledAt }) => uuidv7(settledAt)],
  ['event', 'text', (settlement) => JSON.stringify(eventData(settlement))],
];
const input = inputRows(COLUMNS);

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const tierOf = (spentMicros: string) =>
  `CASE ${[...REBATE_TIERS]
    .reverse()
    .map(({ tier, fromMicros }) => `WHEN ${spentMicros} >= ${fromMicros} THEN '${tier}'`)
    .join(' ')} END`;

// State, wallet, answer, call and event commit together: one statement, one round trip, one fsync for the whole batch.
const settleFrom = (rows: string) => `
  WITH input AS (${rows}),
  settled AS (
    UPDATE payments p
    SET state = 'settled', transaction_hash = i.transaction_hash, settled_at = i.settled_at, reason = NULL,
        served = p.served OR i.call_id IS NOT NULL
    FROM input i
    WHERE p.id = i.id AND p.state IN (${quoted(statesLeftBy('settled'))})
    RETURNING p.id, p.payer, p.price_micros, p.verified_at, p.endpoint, p.request_id,
      old.served AND old.state = 'settlement_failed' AS was_unpaid
  ),
  wallet AS (
    INSERT INTO wallets AS w (address, settled_micros, calls, event_seq, first_payment_at, last_payment_at)
    SELECT payer, sum(price_micros), count(*), count(*), min(verified_at), max(verified_at)
    FROM settled GROUP BY payer ORDER BY payer
    ON CONFLICT (address) DO UPDATE SET
      settled_micros = w.settled_micros + excluded.settled_micros,
      calls = w.calls + excluded.calls,
      unpaid_calls = w.unpaid_calls
        - (SELECT count(*) FROM settled s WHERE s.payer = excluded.address AND s.was_unpaid),
      event_seq = w.event_seq + excluded.event_seq,
      first_payment_at = least(w.first_payment_at, excluded.first_payment_at),
      last_payment_at = greatest(w.last_payment_at, excluded.last_payment_at)
    RETURNING address, settled_micros, event_seq
  ),
  numbered AS (
    SELECT s.id, s.payer,
      w.event_seq - count(*) OVER of_wallet + row_number() OVER in_order AS aggregate_seq,
      w.settled_micros - sum(s.price_micros) OVER of_wallet + sum(s.price_micros) OVER in_order AS spent_micros
    FROM settled s JOIN wallet w ON w.address = s.payer
    WINDOW of_wallet AS (PARTITION BY s.payer), in_order AS (PARTITION BY s.payer ORDER BY s.verified_at, s.id)
  ),
  answered AS (
    INSERT INTO payment_answers (payment_id, status, body, engine_version, expires_at)
    SELECT i.id, i.answer_status, i.answer_body, i.engine_version, i.expires_at
    FROM input i JOIN settled USING (id) WHERE i.call_id IS NOT NULL
    ON CONFLICT (payment_id) DO NOTHING
  ),
  called AS (
    INSERT INTO calls (id, payment_id, endpoint, request_id, served_at)
    SELECT i.call_id, i.id, s.endpoint, s.request_id, i.settled_at
    FROM input i JOIN settled s USING (id) WHERE i.call_id IS NOT NULL
    ON CONFLICT (payment_id) DO NOTHING RETURNING payment_id
  ),
  resolved AS (
    DELETE FROM payment_checks c USING settled s WHERE c.payment_id = s.id
  ),
  announced AS (
    INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
    SELECT i.event_id, '${PaymentSettled.stream}', n.payer, n.aggregate_seq, '${PaymentSettled.type}', n.id, i.settled_at,
      i.event::jsonb || jsonb_build_object('tier', ${tierOf('n.spent_micros')})
    FROM numbered n JOIN input i USING (id) ORDER BY n.payer, n.aggregate_seq
  )
  SELECT s.id, c.payment_id IS NOT NULL AS answered FROM settled s LEFT JOIN called c ON c.payment_id = s.id`;
const SETTLE_ONE = { name: 'record-settlement', text: settleFrom(input.one) };
const SETTLE_MANY = { name: 'record-settlements', text: settleFrom(input.many) };

/**
 * What a settlement changed: nothing, when it was settled before; `answered` when its answer was taken too, and is the
 * first one of the payment.
 */
export type Recorded = 'answered' | 'settled' | 'unchanged';

/** Everything that becomes true when a payment has settled. */
@Injectable()
export class RecordSettlements {
  private readonly batcher = new Batcher<Settlement, Recorded>((settlements) => this.write(settlements));

  constructor(private readonly dataSource: DataSource) {}

  /** However often: nothing is counted twice. */
  record(settlement: Settlement): Promise<Recorded> {
    return this.batcher.add(settlement);
  }

  private async write(settlements: Settlement[]): Promise<Recorded[]> {
    const statement = settlements.length === 1 ? SETTLE_ONE : SETTLE_MANY;
    const values = input.values(settlements);
    const { rows } = await poolOf(this.dataSource).query<{ id: string; answered: boolean }>({ ...statement, values });
    const recorded = new Map(rows.map(({ id, answered }) => [id, answered ? 'answered' : 'settled'] as const));
    return settlements.map(({ payment }) => recorded.get(payment.id) ?? 'unchanged');
  }
}

/** `tier` is added by the statement, which alone knows the wallet's total. */
function eventData({ payment, transactionHash, settledAt }: Settlement): Omit<PaymentSettled, 'tier'> {
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
    rebateMicros: 0,
    attributedCostMicros: payment.costMicros,
    requestId: payment.requestId,
  };
}

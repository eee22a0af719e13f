import type { EventClass, PaymentSettled } from '@evenkeel/contracts';
import { announce, type Announcement } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Deadline } from '../calls/call';
import { Batcher, inputRows, type InputColumn } from './batched-statements';
import { ledgerPool, lockedOrThrow, WalletQueue } from './ledger-pool';
import type { PaymentRow } from './ledger.entities';

export type Claim = Omit<PaymentRow, 'state' | 'served' | 'transactionHash' | 'reason' | 'settledAt'>;

const COLUMNS: readonly InputColumn<Claim>[] = [
  ['id', 'uuid', (claim) => claim.id],
  ['chain_id', 'integer', (claim) => claim.chainId],
  ['asset', 'text', (claim) => claim.asset],
  ['payer', 'text', (claim) => claim.payer],
  ['nonce', 'text', (claim) => claim.nonce],
  ['endpoint', 'text', (claim) => claim.endpoint],
  ['price_micros', 'bigint', (claim) => claim.priceMicros],
  ['fingerprint', 'text', (claim) => claim.fingerprint],
  ['payload_digest', 'text', (claim) => claim.payloadDigest],
  ['payment_identifier', 'text', (claim) => claim.paymentIdentifier],
  ['idempotency_key', 'text', (claim) => claim.idempotencyKey],
  ['"authorization"', 'text', (claim) => claim.authorization],
  ['signature', 'text', (claim) => claim.signature],
  ['wording_id', 'integer', (claim) => claim.requirementsId],
  ['v2_grade', 'boolean', (claim) => claim.v2Grade],
  ['request_id', 'text', (claim) => claim.requestId],
  ['cost_micros', 'bigint', (claim) => claim.costMicros],
  ['verified_at', 'timestamptz', (claim) => claim.verifiedAt],
  ['created_at', 'timestamptz', (claim) => claim.createdAt],
  ['valid_before', 'timestamptz', (claim) => claim.validBefore],
];
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const input = inputRows(COLUMNS);
// Rows in the order of their key: two replicas that claim the same payments wait for each other, never in a circle. Each
// leaves a row of its wallet behind, which the settlement locks. One that is there already is not inserted: even to find
// that there is a conflict, an insert waits for the session that is changing the row.
const CLAIM = `
  WITH claimed AS (
    INSERT INTO payments (${NAMES}, state, served)
    SELECT ${NAMES}, 'settling', false FROM (${input.rows}) AS input ORDER BY nonce, payer
    ON CONFLICT DO NOTHING RETURNING id, payer
  ),
  known AS (
    INSERT INTO wallets (address)
    SELECT DISTINCT payer FROM claimed WHERE NOT EXISTS (SELECT FROM wallets WHERE address = payer) ORDER BY payer
    ON CONFLICT DO NOTHING
  )
  SELECT id FROM claimed`;

/** The unique row that makes a payment ours to settle: durable before settle is called, and taken once over all replicas. */
@Injectable()
export class ClaimPayments {
  private readonly batcher = new Batcher<Claim, boolean>((claims) => this.insert(claims));
  private readonly queue = new WalletQueue();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * False when the authorization, or the payer's payment identifier, is taken already.
   * @param deadline until then rows that another session has locked are tried again; by default for two seconds
   */
  async claim(claim: Claim, deadline?: Deadline): Promise<boolean> {
    // A batch cannot pass over a locked key, so a claim that follows one stays out of the batches.
    if (!this.queue.has(claim.payer)) {
      const claimed = await this.batcher.add(claim).catch(lockedOrThrow);
      if (claimed !== 'locked') return claimed;
    }
    const [claimed] = await this.queue.run(claim.payer, () => this.insert([claim]), deadline);
    return claimed!;
  }

  private async insert(claims: Claim[]): Promise<boolean[]> {
    const statement = { name: 'claim-payments', text: CLAIM, values: input.values(claims) };
    const { rows } = await ledgerPool(this.dataSource).query<{ id: string }>(statement);
    const inserted = new Set(rows.map(({ id }) => id));
    return claims.map(({ id }) => inserted.has(id));
  }
}

/** The next number of the events of a wallet; its row is locked until the commit. */
const NEXT_NUMBER = `
  INSERT INTO wallets AS w (address, event_seq) VALUES ($1, 1)
  ON CONFLICT (address) DO UPDATE SET event_seq = w.event_seq + 1 RETURNING event_seq AS number`;

type PaymentEventData = Omit<PaymentSettled, 'transactionHash' | 'settledAt' | 'served' | 'tier' | 'rebateMicros'>;

/** The members of every event of a payment. */
export function paymentEvent(payment: Claim): PaymentEventData {
  return {
    paymentId: payment.id,
    nonce: payment.nonce,
    wallet: payment.payer,
    endpoint: payment.endpoint,
    amountMicros: payment.priceMicros,
    chainId: payment.chainId,
    asset: payment.asset,
    verifiedAt: payment.verifiedAt.toISOString(),
    attributedCostMicros: payment.costMicros,
    requestId: payment.requestId,
  };
}

/** Writes an event into the outbox, under the number that follows in its wallet. */
export async function announceInWallet<Data extends object>(
  tx: EntityManager,
  event: EventClass<Data>,
  wallet: string,
  announcement: Omit<Announcement<Data>, 'key'>,
): Promise<void> {
  await announce(tx, event, { key: wallet, ...announcement }, NEXT_NUMBER);
}

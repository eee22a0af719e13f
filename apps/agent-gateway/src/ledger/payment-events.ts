import type { EventClass, PaymentSettled } from '@evenkeel/contracts';
import { announce, type Announcement } from '@evenkeel/platform/messaging';
import type { EntityManager } from 'typeorm';
import type { Claim } from './claim-payments';

/** The next number of the events of a wallet; its row is locked until the commit. */
const NEXT_NUMBER = `
  INSERT INTO wallets AS w (address, event_seq) VALUES ($1, 1)
  ON CONFLICT (address) DO UPDATE SET event_seq = w.event_seq + 1 RETURNING event_seq AS number`;

export type PaymentEventData = Omit<PaymentSettled, 'transactionHash' | 'settledAt' | 'tier' | 'rebateMicros'>;

/** What every event of a payment says. */
export function paymentEvent(payment: Claim): PaymentEventData {
  return {
    paymentId: payment.id,
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

/** Writes an event of a payment into the outbox, under the number that follows in its wallet. */
export async function announcePayment<Data extends object>(
  tx: EntityManager,
  event: EventClass<Data>,
  { id, payer }: Claim,
  { occurredAt, data }: Pick<Announcement<Data>, 'occurredAt' | 'data'>,
): Promise<void> {
  await announce(tx, event, { key: payer, subject: id, occurredAt, data }, NEXT_NUMBER);
}

import { eventsOf, type CreditStory, type PaymentStory, type PublishedEvent } from '../projection/history.fixture';

/** A wallet with a checksum that shows. */
export const WALLET = '0x857b06519e91e3a54538791bdbb0e22373e36b66';
const ANALYZE = '/agent/v1/habits/analyze';

let made = 0;
const anId = (): string => `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`;

export function aPayment(over: Partial<PaymentStory> = {}): PaymentStory {
  return {
    id: anId(),
    wallet: WALLET,
    endpoint: ANALYZE,
    amountMicros: 50_000,
    costMicros: 400,
    verifiedAt: new Date('2026-02-10T11:58:00.120Z'),
    tier: 'base',
    rebateMicros: 0,
    served: true,
    endsAfterMs: 90_000_000,
    states: ['settled'],
    ...over,
  };
}

export function aCredit(over: Partial<CreditStory> = {}): CreditStory {
  return {
    id: anId(),
    wallet: WALLET,
    endpoint: ANALYZE,
    priceMicros: 50_000,
    changeMicros: 50_000,
    costMicros: 400,
    issuedAt: new Date('2026-02-01T00:00:00.000Z'),
    redeemedAt: null,
    expiresAt: null,
    ...over,
  };
}

export function publishedOf(payments: PaymentStory[], credits: CreditStory[] = []): PublishedEvent[] {
  return eventsOf({ payments, credits });
}

import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventsOf, LAST_DAY, type PaymentStory, type PublishedEvent } from '../projection/history.fixture';
import { aMonthOfSubscriptions, publishedOf as billed } from '../projection/subscriptions/subscription-history.fixture';
import { aCredit, aPayment } from '../revenue/story.fixture';

/** On the last day of all histories, a Tuesday. */
export const NOW = new Date(`${LAST_DAY}T14:02:07.412Z`);
/** The first payments are on 12 Nov 2025. */
const DAYS = 91;
const MONTH_DAYS = 28;
const DAY_MS = 86_400_000;
const HOURS = [11, 8, 5, 2];

const day = (text: string) => new Date(`${text}T10:00:00.000Z`);

/** So long before now, settled within a second by one of 43 wallets, of which thirteen are new in this month. */
export function aCall(msAgo: number, number = 0, over: Partial<PaymentStory> = {}): PaymentStory {
  const isNew = msAgo < MONTH_DAYS * DAY_MS;
  const { path, priceMicros } = PAID_ENDPOINTS[[0, 1, 3, 4][number % 4]!]!;
  return aPayment({
    wallet: `0x${String(10 + (number % (isNew ? 43 : 30))).repeat(20)}`,
    endpoint: path,
    amountMicros: priceMicros,
    verifiedAt: new Date(NOW.getTime() - msAgo),
    tier: number % 7 === 0 ? 'tier_1' : 'base',
    endsAfterMs: 800,
    ...over,
  });
}

/** More lately than before, and fewer at weekends. */
function callsOfDays(): PaymentStory[] {
  const midnightMs = Date.parse(LAST_DAY);
  const times = Array.from({ length: DAYS }, (_, ago) => midnightMs - ago * DAY_MS).flatMap((dayMs, ago) => {
    const isWeekend = new Date(dayMs).getUTCDay() % 6 === 0;
    return HOURS.slice(0, isWeekend ? 2 : 3 + Number(ago < MONTH_DAYS)).map((hour) => dayMs + hour * 3_600_000);
  });
  return times.map((ms, number) => aCall(NOW.getTime() - ms, number));
}

/** Newest first: two wait, one has failed, a hundred are of the last 28 days. */
export const PAYMENTS: readonly PaymentStory[] = [
  aCall(4_000),
  aCall(200_000, 1, { states: ['settlement_pending'] }),
  aCall(250_000, 2, { states: ['settlement_pending'] }),
  aCall(3_600_000, 3, { states: ['settlement_failed'], served: false }),
  ...callsOfDays(),
];

const CREDITS = [
  aCredit({ issuedAt: day('2026-01-01') }),
  aCredit({ issuedAt: day('2026-01-01'), redeemedAt: day('2026-01-25') }),
  aCredit({ issuedAt: day('2026-01-02'), expiresAt: day('2026-01-30') }),
  aCredit({ issuedAt: day('2026-01-20') }),
  aCredit({ issuedAt: day('2026-01-21') }),
];

export function aBusiness(): PublishedEvent[] {
  return [...eventsOf({ payments: [...PAYMENTS], credits: CREDITS }), ...billed(aMonthOfSubscriptions())];
}

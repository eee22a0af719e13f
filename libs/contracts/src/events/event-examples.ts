import {
  CreditIssued,
  CreditRedeemed,
  PaymentSettled,
  PaymentSettlementFailed,
  PaymentSettlementPending,
} from '../payments/payment-events';
import { SessionRevoked, UsageMetered, UserDeleted, UserRegistered, UserVerified } from '../people/account-events';
import { InvoiceAdjusted, InvoicePaid, SubscriptionChanged } from '../people/subscription-events';
import type { EventClass } from './event-streams';

/** One event as the catalogue describes it. */
interface Described<Data, Member = keyof Data & string> {
  /** One sentence. */
  summary: string;
  /** Member of the data that is the CloudEvents time. */
  time: Member;
  data: Data;
}

export interface EventExample extends Described<object, string> {
  event: EventClass;
  /** Members of the data that are its CloudEvents subject, and the key of the stream. */
  subject: string;
  key: string;
}

const wallet = '0x857b06519e91e3a54538791bdbb0e22373e36b66';
const payment = {
  wallet,
  chainId: 8453,
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  attributedCostMicros: 400,
};

const userId = '0194a1c2-3d4e-7f50-8a1b-2c3d4e5f6a7b';

/** Every event there is, with one example each. */
export const EVENT_EXAMPLES: readonly EventExample[] = [
  example(PaymentSettled, {
    summary: 'A payment is on the chain: final, revenue.',
    time: 'settledAt',
    data: {
      paymentId: '0194bc3e-5d58-7c1a-9e64-3f1b2a7d8c90',
      nonce: '0x9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f9c1f',
      endpoint: '/agent/v1/habits/analyze',
      amountMicros: 50_000,
      ...payment,
      transactionHash: '0x742b9dd423978e5e41cd3baddefffd36e5aa24b0c6bdcf9fa5b5a5678bed1f1a',
      verifiedAt: '2026-01-31T11:58:00.120Z',
      settledAt: '2026-01-31T11:58:00.910Z',
      served: true,
      tier: 'tier_1',
      rebateMicros: 2_500,
      requestId: '7f3d1c5a-2b8e-4f6d-a1c0-9e8d7c6b5a43',
    },
  }),
  example(PaymentSettlementPending, {
    summary: 'Settlement was asked for and its outcome is open: no revenue yet.',
    time: 'verifiedAt',
    data: {
      paymentId: '0194bc3f-47f4-7b2c-8d11-6a5e4c3b2d1f',
      nonce: '0x3be73be73be73be73be73be73be73be73be73be73be73be73be73be73be73be7',
      endpoint: '/agent/v1/habits/plan',
      amountMicros: 100_000,
      ...payment,
      verifiedAt: '2026-01-31T11:59:00.100Z',
      state: 'settlement_pending',
      served: true,
      reason: null,
      requestId: '1b9e7d5c-3a2f-4e8d-b6c0-5f4e3d2c1b0a',
    },
  }),
  example(PaymentSettlementFailed, {
    summary: 'Settlement was refused for good: final, no revenue.',
    time: 'failedAt',
    data: {
      paymentId: '0194bc3f-bd24-7d3e-a5f7-0b1c2d3e4f50',
      nonce: '0xd052d052d052d052d052d052d052d052d052d052d052d052d052d052d052d052',
      endpoint: '/agent/v1/habits/recommend',
      amountMicros: 30_000,
      ...payment,
      transactionHash: null,
      verifiedAt: '2026-01-31T11:59:30.100Z',
      failedAt: '2026-01-31T11:59:31.200Z',
      served: false,
      reason: 'invalid_exact_evm_insufficient_balance',
      requestId: '4c8a6e2d-9f1b-4d7c-8e5a-3b2c1d0e9f8a',
    },
  }),
  example(CreditIssued, {
    summary: 'The accrued rebate of a wallet became a credit.',
    time: 'issuedAt',
    data: {
      creditId: '0194bc3e-5d58-7e4f-b3a2-8c9d0e1f2a3b',
      wallet,
      faceMicros: 100_000,
      paymentId: '0194bc3e-5d58-7c1a-9e64-3f1b2a7d8c90',
      tier: 'tier_1',
      issuedAt: '2026-01-31T11:58:00.910Z',
      expiresAt: null,
    },
  }),
  example(CreditRedeemed, {
    summary: 'A credit paid for a call: final, no revenue.',
    time: 'redeemedAt',
    data: {
      creditId: '0194bc3e-5d58-7e4f-b3a2-8c9d0e1f2a3b',
      wallet,
      endpoint: '/agent/v1/habits/analyze',
      priceMicros: 50_000,
      changeMicros: 50_000,
      attributedCostMicros: 400,
      redeemedAt: '2026-01-31T12:03:00.000Z',
      requestId: '8d6f4b2a-1c3e-4a5d-9b7f-6e5d4c3b2a10',
    },
  }),
  example(UserRegistered, {
    summary: 'Somebody made an account.',
    time: 'registeredAt',
    data: { userId, registeredAt: '2026-01-04T08:00:00.000Z' },
  }),
  example(UserVerified, {
    summary: 'A person has shown that their mail address is theirs.',
    time: 'verifiedAt',
    data: { userId, verifiedAt: '2026-01-04T08:03:00.000Z' },
  }),
  example(UserDeleted, {
    summary: 'An account is gone, with all its sessions: its subscription must end.',
    time: 'deletedAt',
    data: {
      userId,
      receiptId: '0194c0aa-5b6c-7d8e-9f01-23456789abcd',
      deletedAt: '2026-03-01T10:00:00.000Z',
    },
  }),
  example(SessionRevoked, {
    summary: 'Sessions ended before their time: their access tokens are not valid any more.',
    time: 'revokedAt',
    data: {
      userId,
      sessionIds: ['0194e0bb-1c2d-7e3f-8a4b-5c6d7e8f9a0b'],
      accessTokensUntil: '2026-01-31T12:15:30.000Z',
      revokedAt: '2026-01-31T12:00:00.000Z',
    },
  }),
  example(UsageMetered, {
    summary: 'What a user has used in a month; the whole state, with a version.',
    time: 'meteredAt',
    data: {
      userId,
      feature: 'analyses',
      period: '2026-01',
      used: 2,
      limit: 5,
      version: 2,
      meteredAt: '2026-01-31T12:00:00.000Z',
    },
  }),
  example(SubscriptionChanged, {
    summary: 'Everything that gives a user access; the whole state, with a version.',
    time: 'changedAt',
    data: {
      userId,
      version: 7,
      subscriptions: [
        {
          id: 'sub_1QxYzAbCdEfGhIjK',
          provider: 'STRIPE',
          planCode: 'premium_monthly',
          status: 'ACTIVE',
          interval: 'month',
          recurringMicros: 7_990_000,
          startedAt: '2025-12-31T09:00:00.000Z',
          currentPeriodEnd: '2026-02-28T09:00:00.000Z',
          cancelAt: null,
          trialEnd: null,
          pastDueSince: null,
          collectionPaused: false,
          accessUntil: '2026-03-03T09:00:00.000Z',
        },
      ],
      grants: [{ id: '0194d0cc-2d3e-7f4a-9b5c-6d7e8f9a0b1c', until: null }],
      cause: 'customer.subscription.updated',
      changedAt: '2026-01-31T09:00:02.000Z',
    },
  }),
  example(InvoicePaid, {
    summary: 'An invoice of a subscription is paid: final, revenue.',
    time: 'paidAt',
    data: {
      invoiceId: 'in_1QxYzAbCdEfGhIjK',
      userId,
      subscriptionId: 'sub_1QxYzAbCdEfGhIjK',
      planCode: 'premium_monthly',
      amountMicros: 7_990_000,
      taxMicros: 0,
      reason: 'cycle',
      periodStart: '2026-01-31T09:00:00.000Z',
      periodEnd: '2026-02-28T09:00:00.000Z',
      paidAt: '2026-01-31T09:00:02.000Z',
    },
  }),
  example(InvoiceAdjusted, {
    summary: 'Money of a paid invoice was refunded or is disputed, or came back.',
    time: 'occurredAt',
    data: {
      adjustmentId: 're_1QxYzAbCdEfGhIjK',
      userId,
      invoiceId: 'in_1QxYzAbCdEfGhIjK',
      kind: 'refund',
      amountMicros: 7_990_000,
      occurredAt: '2026-02-03T10:00:00.000Z',
    },
  }),
];

/** Lets the compiler compare the data with the class, whose first member is the subject. */
function example<Data extends object>(event: EventClass<Data>, described: Described<Data>): EventExample {
  const [subject] = Object.keys(described.data) as [string];
  return { event, subject, key: 'wallet' in described.data ? 'wallet' : 'userId', ...described };
}

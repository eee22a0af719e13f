import type { PaymentGroup, PaymentStatus } from './answers';
import type { stateMark } from './values';

export const STATUS_WORDS: Record<PaymentStatus, { word: string; mark: Parameters<typeof stateMark>[0] }> = {
  settled: { word: 'Settled', mark: 'good' },
  settlement_pending: { word: 'Waiting', mark: 'waiting' },
  needs_reconciliation: { word: 'Needs a person', mark: 'trouble' },
  settlement_failed: { word: 'Failed', mark: 'failed' },
};

export const GROUP_WORDS: Record<PaymentGroup, string> = {
  unresolved: 'Waiting or needing a person',
  settled_without_hash: 'Settled without a hash',
  served_and_failed: 'Served and failed',
};

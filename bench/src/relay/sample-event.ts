import { EVENT_EXAMPLES, PaymentSettled } from '@evenkeel/contracts';

/** What the gateway announces most. */
export const SAMPLE = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!;
export const SOURCE = '/agent-gateway';
export const WALLETS = 1_000;

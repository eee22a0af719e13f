export type PaymentState = 'settling' | 'settled' | 'settlement_pending' | 'needs_reconciliation' | 'settlement_failed';

/** The events that move a payment from state to state (docs/protocol.md). */
export type PaymentEvent =
  /** settle succeeded, or a hash or a transfer to us was found */
  | 'settled'
  /** the first settle call was refused for good */
  | 'refused'
  /** no answer, an answer that decides nothing, or a settling row left behind by a crash */
  | 'unknown'
  /** the nonce is used or the transaction was reverted: only the chain shows who did it */
  | 'contested'
  /** the chain shows that the authorization can never move money to us any more */
  | 'void';

/** The one table of transitions. An event that has no entry for a state changes nothing. */
export const TRANSITIONS: Readonly<Record<PaymentEvent, Partial<Record<PaymentState, PaymentState>>>> = {
  settled: {
    settling: 'settled',
    settlement_pending: 'settled',
    needs_reconciliation: 'settled',
    // The last look at the chain after `validBefore` may find a third party's transfer.
    settlement_failed: 'settled',
  },
  refused: { settling: 'settlement_failed' },
  unknown: { settling: 'settlement_pending' },
  contested: { settling: 'needs_reconciliation', settlement_pending: 'needs_reconciliation' },
  void: { settlement_pending: 'settlement_failed', needs_reconciliation: 'settlement_failed' },
};

/** The states in which an event changes something. */
export function statesLeftBy(event: PaymentEvent): PaymentState[] {
  return Object.keys(TRANSITIONS[event]) as PaymentState[];
}

/** The outcome is open: neither revenue nor refusal. */
export const UNRESOLVED_STATES: readonly PaymentState[] = ['settlement_pending', 'needs_reconciliation'];

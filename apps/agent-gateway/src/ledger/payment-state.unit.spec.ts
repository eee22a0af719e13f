import { statesLeftBy, TRANSITIONS, UNRESOLVED_STATES, type PaymentEvent, type PaymentState } from './payment-state';

const STATES: PaymentState[] = [
  'settling',
  'settled',
  'settlement_pending',
  'needs_reconciliation',
  'settlement_failed',
];

/** docs/protocol.md, state by state: where each event leads; an event that is not named changes nothing. */
const TABLE: Record<PaymentState, Partial<Record<PaymentEvent, PaymentState>>> = {
  settling: {
    settled: 'settled',
    refused: 'settlement_failed',
    unknown: 'settlement_pending',
    contested: 'needs_reconciliation',
  },
  settlement_pending: { settled: 'settled', contested: 'needs_reconciliation', void: 'settlement_failed' },
  needs_reconciliation: { settled: 'settled', void: 'settlement_failed' },
  settlement_failed: { settled: 'settled' },
  settled: {},
};

describe('the states of a payment', () => {
  const events = Object.keys(TRANSITIONS) as PaymentEvent[];
  it.each(STATES.flatMap((state) => events.map((event) => [state, event] as const)))('%s, %s', (state, event) => {
    expect(TRANSITIONS[event][state]).toBe(TABLE[state][event]);
  });

  it('are left by an event exactly where it leads on', () => {
    for (const event of events) {
      expect(statesLeftBy(event).toSorted()).toEqual(STATES.filter((state) => TABLE[state][event]).toSorted());
    }
  });

  it('are open while neither revenue nor refusal', () => {
    expect(UNRESOLVED_STATES).toEqual(['settlement_pending', 'needs_reconciliation']);
  });
});

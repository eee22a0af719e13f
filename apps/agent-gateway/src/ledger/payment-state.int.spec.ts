import { PaymentSettlementFailed, PaymentSettlementPending, type Class } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Registry } from 'prom-client';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { ENTITIES, MIGRATIONS } from '../database';
import { noon } from '../payments/payment.fixture';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { ClaimPayments } from './claim-payments';
import { aClaim } from './claim.fixture';
import { LedgerRows } from './ledger-rows.fixture';
import { TRANSITIONS, type PaymentState } from './payment-state';
import { RecordUncertain, RecordFailure } from './unsettled-outcomes';

let database: TestDatabase;
let ledger: LedgerRows;
let uncertain: RecordUncertain;
let failures: RecordFailure;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  ledger = new LedgerRows(database.dataSource);
  const settings = { UNSETTLED_SERVED_MAX: 200, X402_MAX_TIMEOUT_SECONDS: 300, rpcUrl: 'https://rpc.example' };
  const config = settings as AgentGatewayConfig;
  uncertain = new RecordUncertain(database.dataSource, config, new ManualClock(noon));
  failures = new RecordFailure(database.dataSource, config, new ManualClock(noon), new GatewayMetrics(new Registry()));
}, 30_000);
afterAll(() => database.drop());

const STATES: PaymentState[] = [
  'settling',
  'settled',
  'settlement_pending',
  'needs_reconciliation',
  'settlement_failed',
];

async function aPaymentIn(state: PaymentState) {
  const claim = aClaim();
  await new ClaimPayments(database.dataSource).claim(claim);
  const settledAt = state === 'settled' ? noon : null;
  const change = `UPDATE payments SET state = $2, settled_at = $3, reason = 'before' WHERE id = $1`;
  await database.dataSource.query(change, [claim.id, state, settledAt]);
  return claim;
}

const EVENTS = {
  'payment.settlement-pending': PaymentSettlementPending,
  'payment.settlement-failed': PaymentSettlementFailed,
};

/** What an event left behind, against the table of transitions. */
async function expectMoved(nonce: string, from: PaymentState, event: 'unknown' | 'contested' | 'refused' | 'void') {
  const next = TRANSITIONS[event][from];
  const entries = (await ledger.entriesOf(nonce))!;
  expect(entries.state).toBe(next ?? from);
  expect(entries.reason).toBe(next ? 'now' : 'before');
  const type = event === 'refused' || event === 'void' ? 'payment.settlement-failed' : 'payment.settlement-pending';
  expect(entries.events).toEqual(next ? [type] : []);
  for (const data of await ledger.events(nonce)) {
    expect(validateSync(plainToInstance(EVENTS[type] as Class, data))).toEqual([]);
  }
  return { ...entries, moved: next !== undefined };
}

describe.each(STATES)('a payment that is %s', (state) => {
  it.each(['unknown', 'contested'] as const)('and becomes %s', async (event) => {
    const { id, nonce } = await aPaymentIn(state);
    const outcome = { paymentId: id, event, reason: 'now', transactionHash: null, settleAgain: false, answer: null };
    await uncertain.record(outcome);
    const { moved, checked } = await expectMoved(nonce, state, event);
    expect(checked).toBe(moved || state === 'settlement_pending');

    const before = await ledger.entriesOf(nonce);
    await uncertain.record(outcome);
    expect(await ledger.entriesOf(nonce)).toEqual(before);
  });

  it.each(['refused', 'void'] as const)('and turns out to be %s', async (event) => {
    const { id, nonce, payer } = await aPaymentIn(state);
    await failures.record(id, event, 'now');
    const { moved, checked } = await expectMoved(nonce, state, event);
    expect(checked).toBe(moved && event === 'refused'); // the last look at the chain
    expect(await ledger.wallet(payer)).toEqual({ settledMicros: 0, calls: 0, unpaidCalls: 0, eventSeq: moved ? 1 : 0 });
  });
});

import { eventually } from '@evenkeel/platform/testing';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import type { Gateway, GatewayOptions } from '../gateway.fixture';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentChecks } from '../ledger/payment-checks';
import { SettlementsModule } from '../payments/payments.module';
import { ChainModule } from './chain.module';
import { ResolveByChain, ResolveByFacilitator, ResolveUncertain } from './resolve-uncertain';

class RecoveryWithoutWorker {}

/** What resolves uncertain payments, without the worker that would do so at times of its own. */
export const recoveryByHand: GatewayOptions['modules'] = [
  {
    module: RecoveryWithoutWorker,
    imports: [ChainModule, LedgerModule, FacilitatorModule, SettlementsModule],
    providers: [ResolveByChain, ResolveByFacilitator, ResolveUncertain],
  },
];

/** Checks every payment that is due, with the bound of a round. @returns their nonces */
export async function checkDue(gateway: Gateway, isLate?: () => boolean): Promise<string[]> {
  const due = await gateway.app.get(PaymentChecks).take();
  for (const check of due) await gateway.app.get(ResolveUncertain).execute(check, isLate);
  return due.map(({ payment }) => payment.nonce);
}

/** Until the ledger says so: outcomes of repeated settles are written in the background. */
export function untilPayment(gateway: Gateway, nonce: string, expected: object): Promise<void> {
  return eventually(async () => expect(await gateway.ledger.entriesOf(nonce)).toMatchObject(expected));
}

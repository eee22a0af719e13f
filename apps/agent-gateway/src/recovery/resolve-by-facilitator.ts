import { Inject, Injectable } from '@nestjs/common';
import { Deadline } from '../calls/deadline';
import { Facilitator } from '../facilitator/facilitator.port';
import type { PaymentRow } from '../ledger/ledger.entities';
import type { DueCheck } from '../ledger/payment-checks';
import { StoredRequirements } from '../ledger/stored-requirements';
import { RecordOutcome } from '../payments/record-outcome';
import { SettleCalls } from '../payments/settle-payment';
import { Chain } from './chain.port';

/** Longer than a settle call can take. */
const SETTLE_WITHIN_MS = 15_000;

/**
 * What the facilitator says of an uncertain payment that has not expired. One that was served is settled again with the
 * same bytes; of one that was not the facilitator is only asked, because its buyer may be gone.
 */
@Injectable()
export class ResolveByFacilitator {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly requirements: StoredRequirements,
    private readonly settleCalls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    // By name: for `Chain | null` the compiler emits no type that could be injected.
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /** @returns the reason of the facilitator when the nonce is used, which a person must look into; else null */
  async execute({ payment, settleAgain }: DueCheck): Promise<string | null> {
    if (payment.served || settleAgain) {
      await this.settleAgain(payment);
      return null;
    }
    if (this.chain || !payment.v2Grade) return null;
    const { authorization, signature } = payment;
    const requirements = await this.requirements.byId(payment.requirementsId);
    const verdict = await this.facilitator.verify({ requirements, authorization, signature }, null);
    const reason = verdict.kind === 'invalid' ? verdict.reason : null;
    return reason?.endsWith('nonce_already_used') ? reason : null;
  }

  private async settleAgain(payment: PaymentRow): Promise<void> {
    if (!this.settleCalls.isRunning(payment.id) && !this.settleCalls.admits(payment.payer)) return;
    const { outcome, first } = await this.settleCalls.outcome(payment, false, new Deadline(SETTLE_WITHIN_MS));
    this.outcomes.recordInBackground(payment, outcome, first);
  }
}

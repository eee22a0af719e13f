import { Injectable } from '@nestjs/common';
import { PaymentTerms } from '../../config/payment-terms';
import { FindPayments } from '../../ledger/find-payments';
import type { Compare, Stretch } from './compare';
import { FacilitatorLedger, type ListedSettlement } from './facilitator-ledger';
import { LedgerPages } from './ledger-pages';
import { closeCommand, differenceOf, ledgerPayment } from './ledger-payment';
import type { Comparison, Difference } from './report';

const NOT_LISTED =
  'Settled in the ledger and not in the list of the facilitator: ask the facilitator for the transaction.';
const NOT_KNOWN =
  'Listed by the facilitator and not in the ledger: another service with our address, or the ledger lost a row.';

/** The settled payments of the ledger beside the list that the facilitator keeps. */
@Injectable()
export class CompareWithFacilitator implements Compare {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly ledger: LedgerPages,
    private readonly payments: FindPayments,
    private readonly list: FacilitatorLedger,
  ) {}

  async execute({ since, until, report }: Stretch): Promise<Comparison> {
    const payTo = this.terms.payTo.toLowerCase();
    const listed = (await this.list.settlements()).filter((settlement) => settlement.payTo === payTo);
    const waiting = new Map(listed.map((settlement) => [keyOf(settlement), settlement]));
    const comparison: Comparison = {
      with: 'facilitator',
      matched: 0,
      oursOnly: [],
      theirsOnly: [],
      comparedUntil: until,
    };
    for await (const page of this.ledger.between(since, until)) {
      for (const payment of page.filter(({ state }) => state === 'settled')) {
        if (waiting.get(keyOf(payment))?.amountMicros === payment.amountMicros) comparison.matched += 1;
        else comparison.oursOnly.push(differenceOf(payment, NOT_LISTED));
        waiting.delete(keyOf(payment));
      }
    }
    report(`facilitator: ${listed.length} listed`);
    for (const settlement of waiting.values()) {
      if (settlement.settledAt < since || settlement.settledAt >= until) continue;
      const difference = await this.unexpected(settlement);
      if (difference) comparison.theirsOnly.push(difference);
      else comparison.matched += 1;
    }
    return comparison;
  }

  private async unexpected(settlement: ListedSettlement): Promise<Difference | null> {
    const { payer, nonce, amountMicros, transactionHash } = settlement;
    const row = await this.payments.byAuthorization(payer, nonce, this.terms.asset);
    if (row?.state === 'settled') return null;
    if (!row) return { payer, nonce, amountMicros, transactionHash, state: null, remedy: NOT_KNOWN };
    const remedy = `Settled as the facilitator says. Close it: ${closeCommand(row, transactionHash)}`;
    return { ...differenceOf(ledgerPayment(row), remedy), transactionHash };
  }
}

function keyOf({ payer, nonce }: { payer: string; nonce: string }): string {
  return `${payer} ${nonce}`;
}

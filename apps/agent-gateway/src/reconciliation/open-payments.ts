import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Chain, type ChainEvidence } from '../chain/chain.port';
import { Facilitator } from '../facilitator/facilitator.port';
import { FacilitatorWordings } from '../ledger/facilitator-wordings';
import { PaymentRow } from '../ledger/payment.entity';
import { EXPIRED_FOR_GOOD_MS } from '../ledger/record-failure';
import { closeCommand, differenceOf, ledgerPayment, type LedgerPayment } from './ledger-payment';
import type { Difference } from './report';

/** The longest pause of the worker between two looks, and then some. */
const WORKER_MISSED_IT_MS = 15 * 60_000;
const MOST = 200;

/** Payments whose outcome the worker leaves open, with what a person can do about each. Asks, and never settles. */
@Injectable()
export class OpenPayments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly facilitator: Facilitator,
    private readonly wordings: FacilitatorWordings,
    private readonly clock: Clock,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  async needPerson(): Promise<Difference[]> {
    const rows = await this.rows();
    const differences: Difference[] = [];
    for (const row of rows) differences.push(differenceOf(ledgerPayment(row), await this.remedy(row)));
    return differences;
  }

  private async rows(): Promise<PaymentRow[]> {
    const overdue = new Date(this.clock.now().getTime() - EXPIRED_FOR_GOOD_MS - WORKER_MISSED_IT_MS);
    return this.dataSource
      .createQueryBuilder(PaymentRow, 'p')
      .innerJoin('payment_checks', 'c', 'c.payment_id = p.id')
      .where(`p.state = 'needs_reconciliation' OR (p.state = 'settlement_pending' AND p.valid_before < :overdue)`, {
        overdue,
      })
      .orderBy('p.created_at')
      .limit(MOST)
      .getMany();
  }

  private async remedy(row: PaymentRow): Promise<string> {
    const payment = ledgerPayment(row);
    return this.chain ? adviceByChain(payment, await this.evidence(payment, this.chain)) : this.probe(row, payment);
  }

  private evidence(payment: LedgerPayment, chain: Chain): Promise<ChainEvidence> {
    const { payer, nonce, asset, payTo, amountMicros: priceMicros, createdAt: claimedAt } = payment;
    return chain.evidence({ payer, nonce, asset, payTo, priceMicros, claimedAt });
  }

  /** Without the chain a version 2 verify tells whether the nonce is used; it says "expired" afterwards, whatever became of it. */
  private async probe(row: PaymentRow, payment: LedgerPayment): Promise<string> {
    if (this.clock.now() >= row.validBefore || !row.v2Grade)
      return `Its authorization has expired. ${BY_EXPLORER(payment)}`;
    const wording = await this.wordings.byId(row.wordingId);
    const { authorization, signature } = row;
    const verdict = await this.facilitator.verify({ wording, authorization, signature }, null);
    if (verdict.kind === 'valid')
      return 'Still unused: the identical request of the buyer can settle it. Look again when it has expired.';
    const isUsed = verdict.kind === 'invalid' && verdict.reason?.endsWith('nonce_already_used') === true;
    return `${isUsed ? 'Its nonce is used' : 'The facilitator does not tell'}. ${BY_EXPLORER(payment)}`;
  }
}

const BY_EXPLORER = (payment: LedgerPayment): string =>
  `Look for the authorization of ${payment.payer} in a block explorer: ${closeCommand(payment, '<hash>')}, ` +
  `or failed when it was cancelled or never used.`;

function adviceByChain(payment: LedgerPayment, evidence: ChainEvidence): string {
  if (evidence.kind === 'transferred') {
    return `The money came; the worker writes it down when it looks again, or: ${closeCommand(payment, evidence.transactionHash)}`;
  }
  if (evidence.kind === 'void') return `It can never pay us: ${closeCommand(payment, 'failed')}`;
  if (evidence.kind === 'unexplained')
    return `Its nonce is used and the transaction was not found. ${BY_EXPLORER(payment)}`;
  const closableAt = new Date(payment.validBefore.getTime() + EXPIRED_FOR_GOOD_MS);
  return evidence.asOf >= closableAt
    ? `It expired unused: ${closeCommand(payment, 'failed')}`
    : `Unused so far: the identical request of the buyer can settle it. From ${closableAt.toISOString()}: ${closeCommand(payment, 'failed')}`;
}

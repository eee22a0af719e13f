import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { expiredForGoodAt } from '../../ledger/payment-checks';
import { PaymentRow } from '../../ledger/ledger.entities';
import { Chain } from '../../recovery/chain';
import { BLOCKS_PER_LOOK, type ChainEvidence } from '../../recovery/chain-evidence';
import { closeCommand, differenceOf } from './ledger-pages';
import type { Difference } from './report';

/** After its expiry, by when the worker has looked at it for the last time. */
const WORKER_MISSED_IT_MS = 25 * 60_000;
const MOST = 200;

/** Payments whose outcome the worker leaves open, with what a person can do about each. Reads, and never settles. */
@Injectable()
export class OpenPayments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  async needPerson(): Promise<Difference[]> {
    const overdue = new Date(this.clock.now().getTime() - WORKER_MISSED_IT_MS);
    const { entities, raw } = await this.dataSource
      .createQueryBuilder(PaymentRow, 'p')
      .addSelect('c.searched_to', 'searched_to')
      .innerJoin('payment_checks', 'c', 'c.payment_id = p.id')
      .where(`p.state = 'needs_reconciliation' OR (p.state = 'settlement_pending' AND p.valid_before < :overdue)`, {
        overdue,
      })
      .orderBy('p.created_at')
      .limit(MOST)
      .getRawAndEntities<{ searched_to: string | null }>();
    const differences: Difference[] = [];
    for (const [index, row] of entities.entries()) {
      const remedy = this.chain ? await this.byChain(this.chain, row, raw[index]!.searched_to) : byExplorer(row);
      differences.push(differenceOf(row, remedy));
    }
    return differences;
  }

  /** @param searched how far the worker has searched the chain for it */
  private async byChain(chain: Chain, row: PaymentRow, searched: string | null): Promise<string> {
    const searchedTo = searched === null ? null : BigInt(searched);
    const evidence = await chain.evidence(row, { searchedTo, maxBlocks: BLOCKS_PER_LOOK, isLate: () => false });
    return adviceByChain(row, evidence);
  }
}

function byExplorer(payment: PaymentRow): string {
  const close = closeCommand(payment, '<hash>');
  const where = `Look for the authorization of ${payment.payer} in a block explorer`;
  return `${where}: ${close}, or failed when it was cancelled or never used.`;
}

function adviceByChain(payment: PaymentRow, evidence: ChainEvidence): string {
  const failed = closeCommand(payment, 'failed');
  switch (evidence.kind) {
    case 'transferred': {
      const close = closeCommand(payment, evidence.transfer.transactionHash);
      return `The money came; the worker writes it down when it looks again, or: ${close}`;
    }
    case 'void':
      return `It can never pay us: ${failed}`;
    case 'unexplained':
      return `Its nonce is used and the transaction was not found. ${byExplorer(payment)}`;
    case 'unused': {
      const closableAt = expiredForGoodAt(payment);
      if (evidence.asOf >= closableAt) return `It expired unused: ${failed}`;
      const buyer = 'Unused so far: the identical request of the buyer can settle it';
      return `${buyer}. From ${closableAt.toISOString()}: ${failed}`;
    }
  }
}

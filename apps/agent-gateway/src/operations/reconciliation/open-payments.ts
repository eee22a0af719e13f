import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PaymentTerms } from '../../config/payment-terms';
import { Facilitator } from '../../facilitator/facilitator';
import { awaitedUntil, EXPIRED_FOR_GOOD_MS } from '../../ledger/payment-checks';
import { PaymentRow } from '../../ledger/ledger.entities';
import { StoredRequirements } from '../../ledger/stored-requirements';
import { Chain } from '../../recovery/chain';
import { BLOCKS_PER_LOOK, type ChainEvidence } from '../../recovery/chain-evidence';
import { closeCommand, differenceOf } from './ledger-pages';
import type { Difference } from './report';

/** The longest pause of the worker between two looks, and then some. */
const WORKER_MISSED_IT_MS = 15 * 60_000;
const MOST = 200;

interface OpenPayment {
  row: PaymentRow;
  /** How far the worker has searched the chain for it. */
  searchedTo: string | null;
}

/** Payments whose outcome the worker leaves open, with what a person can do about each. Asks, and never settles. */
@Injectable()
export class OpenPayments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly terms: PaymentTerms,
    private readonly facilitator: Facilitator,
    private readonly requirements: StoredRequirements,
    private readonly clock: Clock,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  async needPerson(): Promise<Difference[]> {
    const rows = await this.rows();
    const differences: Difference[] = [];
    for (const open of rows) differences.push(differenceOf(open.row, await this.remedy(open)));
    return differences;
  }

  private async rows(): Promise<OpenPayment[]> {
    const overdue = new Date(this.clock.now().getTime() - EXPIRED_FOR_GOOD_MS - WORKER_MISSED_IT_MS);
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
    return entities.map((row, index) => ({ row, searchedTo: raw[index]!.searched_to }));
  }

  private async remedy({ row, searchedTo }: OpenPayment): Promise<string> {
    if (!this.chain) return this.probe(row);
    const limits = {
      searchedTo: searchedTo === null ? null : BigInt(searchedTo),
      maxBlocks: BLOCKS_PER_LOOK,
      isLate: () => false,
    };
    const evidence = await this.chain.evidence(row, limits);
    return adviceByChain(row, evidence, awaitedUntil(row, this.terms.maxTimeoutSeconds));
  }

  /** Without the chain a version 2 verify says whether the nonce is used; after the expiry it says "expired" in every case. */
  private async probe(row: PaymentRow): Promise<string> {
    if (this.clock.now() >= row.validBefore || !row.v2Grade)
      return `Its authorization has expired. ${BY_EXPLORER(row)}`;
    const requirements = await this.requirements.byId(row.requirementsId);
    const { authorization, signature } = row;
    const verdict = await this.facilitator.verify({ requirements, authorization, signature }, null);
    if (verdict.kind === 'valid')
      return 'Still unused: the identical request of the buyer can settle it. Look again when it has expired.';
    const isUsed = verdict.kind === 'invalid' && verdict.reason?.endsWith('nonce_already_used') === true;
    return `${isUsed ? 'Its nonce is used' : 'The facilitator does not tell'}. ${BY_EXPLORER(row)}`;
  }
}

const BY_EXPLORER = (payment: PaymentRow): string =>
  `Look for the authorization of ${payment.payer} in a block explorer: ${closeCommand(payment, '<hash>')}, ` +
  `or failed when it was cancelled or never used.`;

function adviceByChain(payment: PaymentRow, evidence: ChainEvidence, until: Date): string {
  if (evidence.kind === 'transferred') {
    return `The money came; the worker writes it down when it looks again, or: ${closeCommand(payment, evidence.transfer.transactionHash)}`;
  }
  if (evidence.kind === 'void') return `It can never pay us: ${closeCommand(payment, 'failed')}`;
  if (evidence.kind === 'unexplained')
    return `Its nonce is used and the transaction was not found. ${BY_EXPLORER(payment)}`;
  const closableAt = new Date(until.getTime() + EXPIRED_FOR_GOOD_MS);
  return evidence.asOf >= closableAt
    ? `It expired unused: ${closeCommand(payment, 'failed')}`
    : `Unused so far: the identical request of the buyer can settle it. From ${closableAt.toISOString()}: ${closeCommand(payment, 'failed')}`;
}

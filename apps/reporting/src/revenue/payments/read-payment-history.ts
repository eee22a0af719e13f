import { DomainError } from '@evenkeel/kernel';
import { ApiExtraModels, ApiProperty, IntersectionType } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { AsOfView, Is, Money } from '../figures/figures';
import type { Unstamped } from '../revenue-snapshot';
import {
  DETAIL_COLUMNS,
  PAYMENT_STATUSES,
  type PaymentDetailRow,
  PaymentDetailView,
  type PaymentStatus,
} from './payment-rows';
import { type Stored, viewOf } from './row-view';

/** No payment has this id, or its event has not arrived. */
export class PaymentNotFound extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'payment_not_found';
  constructor() {
    super('No payment has this id. One that is younger than the lag of the answers may come yet.');
  }
}

class IssuedCreditView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @Is.member() face_value!: Money;
  @Is.instant() issued_at!: string;
  @Is.instantOrNull() redeemed_at!: string | null;
  @Is.instantOrNull('null for one that does not expire') expires_at!: string | null;
}

class StoryStepView {
  @Is.instant() at!: string;
  @Is.oneOf(['verified', ...PAYMENT_STATUSES]) state!: 'verified' | PaymentStatus;
  @ApiProperty({ required: false }) transaction_hash?: string;
  @ApiProperty({ required: false, description: 'code of the facilitator' }) reason?: string;
}

class OnePaymentView extends PaymentDetailView {
  @Is.referred(IssuedCreditView, {
    nullable: true,
    description: 'the credit that the rebate of this payment completed',
  })
  credit_issued!: IssuedCreditView | null;
  @Is.listOf(StoryStepView, 'what became of it, oldest first') story!: StoryStepView[];
}

@ApiExtraModels(IssuedCreditView)
export class PaymentAnswerView extends IntersectionType(OnePaymentView, AsOfView) {}

interface StateRow {
  state: PaymentStatus;
  at: Date;
  transaction_hash: string | null;
  reason: string | null;
}

/**
 * One payment with all that is known of it.
 * @throws PaymentNotFound
 */
export async function readPayment(tx: EntityManager, id: string): Promise<Unstamped<PaymentAnswerView>> {
  const [row] = await tx.query<PaymentDetailRow[]>(`SELECT ${DETAIL_COLUMNS} FROM payments WHERE id = $1`, [id]);
  if (!row) throw new PaymentNotFound();
  const [credit] = await tx.query<Stored<IssuedCreditView>[]>(
    'SELECT id, face_micros AS face_value, issued_at, redeemed_at, expires_at FROM credits WHERE payment_id = $1',
    [id],
  );
  const states = await tx.query<StateRow[]>(
    'SELECT state, at, transaction_hash, reason FROM payment_states WHERE payment_id = $1 ORDER BY at, state',
    [id],
  );
  return {
    ...viewOf<PaymentDetailView>(row),
    credit_issued: credit ? viewOf<IssuedCreditView>(credit) : null,
    story: storyOf(row, states),
  };
}

/** Verified, what was announced since, and its present state, which older events did not leave behind as a step. */
function storyOf(row: PaymentDetailRow, states: readonly StateRow[]): StoryStepView[] {
  const { status, verified_at, settled_at, failed_at, transaction_hash, reason } = row;
  const story = [{ at: verified_at.toISOString(), state: 'verified' as const }, ...states.map(stepOf)];
  if (states.some(({ state }) => state === status)) return story;
  const at = settled_at ?? failed_at ?? verified_at;
  return [...story, stepOf({ state: status, at, transaction_hash, reason })];
}

function stepOf({ state, at, transaction_hash, reason }: StateRow): StoryStepView {
  return {
    at: at.toISOString(),
    state,
    ...(transaction_hash !== null && { transaction_hash }),
    ...(reason !== null && { reason }),
  };
}

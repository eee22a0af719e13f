import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { marginOf, Money, numbersOf } from './figures';
import { HAS_FIGURES } from './span-rows';
import { instantsOf, type Window } from './window';

/** Settlements after the last day of a window by call: on that day the window had so much less. */
export class AdjustedAfterView {
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
}

/** As the index of such payments has it. */
const IS_LATE = `((coalesce(settled_at, failed_at)) AT TIME ZONE 'UTC')::date > ((verified_at) AT TIME ZONE 'UTC')::date`;

/** Of the calls of a window, what settled or failed after its last day. */
export async function adjustedAfter(tx: EntityManager, window: Window): Promise<AdjustedAfterView> {
  const [row] = await tx.query<[Record<'paid' | 'grossMicros' | 'costMicros', string>]>(
    `SELECT count(*) FILTER (WHERE status = 'settled') AS paid,
       coalesce(sum(amount_micros) FILTER (WHERE status = 'settled'), 0)::bigint AS "grossMicros",
       coalesce(sum(attributed_cost_micros), 0)::bigint AS "costMicros"
     FROM payments WHERE ${IS_LATE} AND ${HAS_FIGURES} AND verified_at >= $1 AND verified_at < $2
       AND coalesce(settled_at, failed_at) >= $2`,
    instantsOf(window),
  );
  const { paid, ...sums } = numbersOf(row, ['paid', 'grossMicros', 'costMicros']);
  return { paid_calls: paid, ...marginOf(sums) };
}

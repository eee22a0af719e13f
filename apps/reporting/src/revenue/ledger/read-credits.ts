import { usdAmount } from '@evenkeel/kernel';
import type { EntityManager } from 'typeorm';
import { Is, Money, MoneyOfDaysView, numbersOf, plus, zerosOf } from '../figures/figures';
import { daysOf, instantsOf, type Window, windowOf } from '../figures/window';
import type { PeriodQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';

export class CreditFlowView {
  @Is.count() credits!: number;
  @Is.member() face_value!: Money;
}

class CreditDayView {
  @Is.day() date!: string;
  @Is.member() issued!: CreditFlowView;
  @Is.member() redeemed!: CreditFlowView;
  @Is.member('not redeemed in time: nothing is owed for them any more') expired!: CreditFlowView;
  @Is.member('owed at the end of the day') closing!: CreditFlowView;
}

/** Calls owed: opening and issued less redeemed and expired is closing, in number and in money. */
export class CreditsView extends MoneyOfDaysView {
  @Is.member('owed before the first day') opening!: CreditFlowView;
  @Is.member() issued!: CreditFlowView;
  @Is.member() redeemed!: CreditFlowView;
  @Is.member() expired!: CreditFlowView;
  @Is.member('owed after the last day') closing!: CreditFlowView;
  @Is.member('prices of the calls that the redeemed ones have paid') rebate_redeemed!: Money;
  @Is.member('their face value beyond these prices, back with the wallets') returned_change!: Money;
  @Is.listOf(CreditDayView, 'one for each day, oldest first') points!: CreditDayView[];
}

/** Credits by the days on which they were issued, redeemed, or expired without having been redeemed. */
const FLOWS = `
  SELECT day, sum(issued)::bigint AS issued, sum(issued * face)::bigint AS issued_face, sum(redeemed)::bigint AS redeemed,
    sum(price)::bigint AS price, sum(change)::bigint AS change, sum(expired)::bigint AS expired,
    sum(expired * face)::bigint AS expired_face
  FROM (
    SELECT issued_at AS at, 1 AS issued, face_micros AS face, 0 AS redeemed, 0 AS price, 0 AS change, 0 AS expired
    FROM credits WHERE issued_at < $1
    UNION ALL
    SELECT redeemed_at, 0, 0, 1, price_micros, change_micros, 0 FROM credits WHERE redeemed_at < $1
    UNION ALL
    SELECT expires_at, 0, face_micros, 0, 0, 0, 1 FROM credits
    WHERE redeemed_at IS NULL AND issued_at IS NOT NULL AND expires_at < $1 AND expires_at <= $3
  ) flows,
    LATERAL (SELECT CASE WHEN at < $2 THEN 'before' ELSE to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS day) AS placed
  GROUP BY day`;

const FLOW_NAMES = ['issued', 'issued_face', 'redeemed', 'price', 'change', 'expired', 'expired_face'] as const;

type Flows = Record<(typeof FLOW_NAMES)[number], number>;
const NO_FLOWS: Flows = zerosOf(FLOW_NAMES);

/** The liability of call credits, rolled forward day by day. */
export const readCredits: Read<PeriodQuery, CreditsView> = async (tx, now, { period }) => {
  const window = windowOf(period, now);
  return { currency: 'USD' as const, ...window, ...(await creditFigures(tx, window, now)) };
};

/** The amount owed before and after a window, and its changes. */
export async function creditFigures(tx: EntityManager, window: Window, now: Date) {
  const [begin, end] = instantsOf(window);
  const rows = await tx.query<(Record<keyof Flows, string> & { day: string })[]>(FLOWS, [end, begin, now]);
  const byDay = new Map(rows.map((row) => [row.day, numbersOf(row, FLOW_NAMES)]));
  const before = byDay.get('before') ?? NO_FLOWS;
  let sums = NO_FLOWS;
  const points = daysOf(window).map((date) => {
    const flows = byDay.get(date) ?? NO_FLOWS;
    sums = plus(sums, flows);
    return { date, ...flowViews(flows), closing: owedAfter(plus(before, sums)) };
  });
  return {
    opening: owedAfter(before),
    ...flowViews(sums),
    closing: owedAfter(plus(before, sums)),
    rebate_redeemed: usdAmount(sums.price),
    returned_change: usdAmount(sums.change),
    points,
  };
}

/** Face value is price and change. */
function flowViews({ issued, issued_face, redeemed, price, change, expired, expired_face }: Flows) {
  return {
    issued: { credits: issued, face_value: usdAmount(issued_face) },
    redeemed: { credits: redeemed, face_value: usdAmount(price + change) },
    expired: { credits: expired, face_value: usdAmount(expired_face) },
  };
}

/** @param flows all of them until then */
function owedAfter({ issued, issued_face, redeemed, price, change, expired, expired_face }: Flows): CreditFlowView {
  const owed = issued_face - price - change - expired_face;
  return { credits: issued - redeemed - expired, face_value: usdAmount(owed) };
}

import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiProperty } from '@nestjs/swagger';
import { daysOf, type Period, shifted, type Window, windowOf } from '../figures/window';
import { RevenueSnapshot } from '../revenue-snapshot';
import { AsOfView, Money } from '../figures/figures';

export class CreditFlowView {
  @ApiProperty({ type: 'integer' }) credits!: number;
  @ApiProperty() face_value!: Money;
}

class CreditDayView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty() issued!: CreditFlowView;
  @ApiProperty() redeemed!: CreditFlowView;
  @ApiProperty({ description: 'not redeemed in time: nothing is owed for them any more' }) expired!: CreditFlowView;
  @ApiProperty({ description: 'owed at the end of the day' }) closing!: CreditFlowView;
}

/** Calls owed: opening and issued less redeemed and expired is closing, in number and in money. */
export class CreditsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_101 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ description: 'owed before the first day' }) opening!: CreditFlowView;
  @ApiProperty() issued!: CreditFlowView;
  @ApiProperty() redeemed!: CreditFlowView;
  @ApiProperty() expired!: CreditFlowView;
  @ApiProperty({ description: 'owed after the last day' }) closing!: CreditFlowView;
  @ApiProperty({ description: 'prices of the calls that the redeemed ones have paid' }) rebate_redeemed!: Money;
  @ApiProperty({ description: 'their face value beyond these prices, back with the wallets' }) returned_change!: Money;
  @ApiProperty({ type: [CreditDayView], description: 'one for each day, oldest first' }) points!: CreditDayView[];
}

/** A number of credits with their face value. */
interface Credits {
  credits: number;
  faceMicros: number;
}

const NO_CREDITS: Credits = { credits: 0, faceMicros: 0 };

/** Credits by the days on which they were issued, redeemed, or expired without having been redeemed. */
const FLOWS = `
  SELECT day, sum(issued)::bigint AS issued, sum(issued * face)::bigint AS face, sum(redeemed)::bigint AS redeemed,
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

type FlowsRow = Record<
  'day' | 'issued' | 'face' | 'redeemed' | 'price' | 'change' | 'expired' | 'expired_face',
  string
>;

interface Flows {
  issued: Credits;
  redeemed: Credits;
  expired: Credits;
  priceMicros: number;
  changeMicros: number;
}

const NO_FLOWS: Flows = {
  issued: NO_CREDITS,
  redeemed: NO_CREDITS,
  expired: NO_CREDITS,
  priceMicros: 0,
  changeMicros: 0,
};

/** The liability of call credits, rolled forward day by day. */
@Injectable()
export class ReadCredits {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today */
  async execute(period: Period): Promise<CreditsView> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      ...window,
      ...(await creditFigures(tx, window, now)),
    }));
  }
}

/** The amount owed before and after a window, and its changes. */
export async function creditFigures(tx: EntityManager, window: Window, now: Date) {
  const end = `${shifted(window.to, 1)}T00:00:00Z`;
  const rows = await tx.query<FlowsRow[]>(FLOWS, [end, `${window.from}T00:00:00Z`, now]);
  const flows = new Map(rows.map((row) => [row.day, flowsOf(row)]));
  const before = flows.get('before') ?? NO_FLOWS;
  return rollForward(window, minus(minus(before.issued, before.redeemed), before.expired), flows);
}

function rollForward(window: Window, opening: Credits, flowsByDay: ReadonlyMap<string, Flows>) {
  let [closing, sums] = [opening, NO_FLOWS];
  const points = daysOf(window).map((date) => {
    const flows = flowsByDay.get(date) ?? NO_FLOWS;
    closing = minus(minus(plus(closing, flows.issued), flows.redeemed), flows.expired);
    sums = {
      issued: plus(sums.issued, flows.issued),
      redeemed: plus(sums.redeemed, flows.redeemed),
      expired: plus(sums.expired, flows.expired),
      priceMicros: sums.priceMicros + flows.priceMicros,
      changeMicros: sums.changeMicros + flows.changeMicros,
    };
    const { issued, redeemed, expired } = flows;
    return {
      date,
      issued: creditFlowView(issued),
      redeemed: creditFlowView(redeemed),
      expired: creditFlowView(expired),
      closing: creditFlowView(closing),
    };
  });
  return {
    opening: creditFlowView(opening),
    issued: creditFlowView(sums.issued),
    redeemed: creditFlowView(sums.redeemed),
    expired: creditFlowView(sums.expired),
    closing: creditFlowView(closing),
    rebate_redeemed: usdAmount(sums.priceMicros),
    returned_change: usdAmount(sums.changeMicros),
    points,
  };
}

function flowsOf(row: FlowsRow): Flows {
  const [priceMicros, changeMicros] = [readMicros(row.price), readMicros(row.change)];
  return {
    issued: { credits: readMicros(row.issued), faceMicros: readMicros(row.face) },
    // Face value is price and change.
    redeemed: { credits: readMicros(row.redeemed), faceMicros: priceMicros + changeMicros },
    expired: { credits: readMicros(row.expired), faceMicros: readMicros(row.expired_face) },
    priceMicros,
    changeMicros,
  };
}

function plus(one: Credits, other: Credits): Credits {
  return { credits: one.credits + other.credits, faceMicros: one.faceMicros + other.faceMicros };
}

function minus(one: Credits, other: Credits): Credits {
  return { credits: one.credits - other.credits, faceMicros: one.faceMicros - other.faceMicros };
}

function creditFlowView({ credits, faceMicros }: Credits): CreditFlowView {
  return { credits, face_value: usdAmount(faceMicros) };
}

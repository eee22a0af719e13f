import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiProperty } from '@nestjs/swagger';
import { dayOf, daysOf, type Period, type Window, windowOf } from '../figures/window';
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

const SUMS = `
  coalesce(sum(issued), 0)::bigint AS issued, coalesce(sum(issued_face_micros), 0)::bigint AS face,
  coalesce(sum(redeemed), 0)::bigint AS redeemed, coalesce(sum(redeemed_price_micros), 0)::bigint AS price,
  coalesce(sum(change_micros), 0)::bigint AS change, coalesce(sum(expiring), 0)::bigint AS expired,
  coalesce(sum(expiring_face_micros), 0)::bigint AS expired_face`;

type SumsRow = Record<'issued' | 'face' | 'redeemed' | 'price' | 'change' | 'expired' | 'expired_face', string>;

/** Those of the day that are not worth anything yet: they expire later on it. */
const NOT_YET = `
  SELECT count(*) AS expired, coalesce(sum(face_micros), 0)::bigint AS expired_face FROM credits
  WHERE redeemed_at IS NULL AND expires_at > $1 AND expires_at < $2::timestamptz + interval '24 hours'`;

interface Flows {
  issued: Credits;
  redeemed: Credits;
  expired: Credits;
  priceMicros: number;
  changeMicros: number;
}

const NO_FLOWS: Flows = {
  ...{ issued: NO_CREDITS, redeemed: NO_CREDITS, expired: NO_CREDITS },
  ...{ priceMicros: 0, changeMicros: 0 },
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
    return this.snapshot.read(async (tx) => {
      const before = await flowsBefore(tx, window);
      const opening = minus(minus(before.issued, before.redeemed), before.expired);
      const flows = await flowsByDay(tx, window, now);
      return { currency: 'USD' as const, ...window, ...rollForward(window, opening, flows) };
    });
  }
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

async function flowsBefore(tx: EntityManager, { from }: Window): Promise<Flows> {
  const [row] = await tx.query<SumsRow[]>(`SELECT ${SUMS} FROM credit_days WHERE day < $1`, [from]);
  return flowsOf(row!);
}

async function flowsByDay(tx: EntityManager, { from, to }: Window, now: Date): Promise<ReadonlyMap<string, Flows>> {
  const rows = await tx.query<(SumsRow & { date: string })[]>(
    `SELECT day::text AS date, ${SUMS} FROM credit_days WHERE day BETWEEN $1 AND $2 GROUP BY day`,
    [from, to],
  );
  const flows = new Map(rows.map((row) => [row.date, flowsOf(row)]));
  const today = dayOf(now.getTime());
  const soFar = flows.get(today);
  if (soFar && soFar.expired.credits > 0) {
    const [notYet] = await tx.query<[Pick<SumsRow, 'expired' | 'expired_face'>]>(NOT_YET, [now, `${today}T00:00:00Z`]);
    flows.set(today, { ...soFar, expired: minus(soFar.expired, expiredOf(notYet)) });
  }
  return flows;
}

function flowsOf(row: SumsRow): Flows {
  const [priceMicros, changeMicros] = [readMicros(row.price), readMicros(row.change)];
  return {
    issued: { credits: readMicros(row.issued), faceMicros: readMicros(row.face) },
    // Face value is price and change.
    redeemed: { credits: readMicros(row.redeemed), faceMicros: priceMicros + changeMicros },
    expired: expiredOf(row),
    priceMicros,
    changeMicros,
  };
}

function expiredOf({ expired, expired_face }: Pick<SumsRow, 'expired' | 'expired_face'>): Credits {
  return { credits: readMicros(expired), faceMicros: readMicros(expired_face) };
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

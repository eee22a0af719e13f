/** Who forecasts: the engine, and two that any tracker could print. */
export const FORECASTERS = ['engine', 'share', 'strength'] as const;
export type Forecaster = (typeof FORECASTERS)[number];

/** The chance of the event by each forecaster, 0 to 1 with four decimals. */
export interface Forecast extends Readonly<Record<Forecaster, number>> {
  /** Day number on which it was made. */
  readonly day: number;
  /** Days or runs that were known by then. */
  readonly known: number;
  /** 1 when the event came: a lapse, a failed run. */
  readonly came: 0 | 1;
}

/** The forecasts of one habit or task, oldest first. */
export interface Series {
  readonly name: string;
  readonly kind: string;
  readonly forecasts: readonly Forecast[];
}

export function fourDecimals(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}

/** Who forecasts: the engine, and two that any tracker could print. */
export const FORECASTERS = ['engine', 'share', 'strength'] as const;
export type Forecaster = (typeof FORECASTERS)[number];

/** The forecasts of one habit or task, oldest first: equal places of the lists belong together. */
export interface Forecasts {
  readonly name: string;
  readonly kind: string;
  /** Day number on which the forecast was made. */
  readonly day: number[];
  /** Days or runs that were known by then. */
  readonly known: number[];
  /** Chance of the event, 0 to 1 with four decimals. */
  readonly given: Readonly<Record<Forecaster, number[]>>;
  /** 1 when the event came: a lapse, a failed run. */
  readonly came: number[];
}

export function noForecasts(name: string, kind: string): Forecasts {
  return { name, kind, day: [], known: [], given: { engine: [], share: [], strength: [] }, came: [] };
}

export function fourDecimals(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}

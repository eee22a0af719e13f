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
  /** The days or runs before the forecast and after it, a letter a day or run: see `MARKS`. */
  readonly around: (place: number) => { before: string; after: string };
}

/** Letters of days and runs: done, not done, skipped, not due. */
export type Mark = 'd' | 'm' | 's' | '-';

/** How many marks precede a forecast. */
export const MARKS_BEFORE = 14;

export function noForecasts(name: string, kind: string, around: Forecasts['around']): Forecasts {
  return { name, kind, day: [], known: [], given: { engine: [], share: [], strength: [] }, came: [], around };
}

export function fourDecimals(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}

import { FORECASTERS, type Forecaster } from '../forecasts/forecasts';
import { type Block, bootstrap, type Measure } from './bootstrap';
import { Scored, TENTHS } from './scores';

/** The figures of a group of forecasts. */
export interface Figures {
  series: number;
  forecasts: number;
  events: number;
  /** Null when there are too few to say anything. */
  scores: GroupScores | null;
}

export interface GroupScores {
  observed: Measure;
  /** Mean forecast of the engine. */
  meanForecast: number;
  /** That less the frequency: above 0 the forecasts were too high. */
  bias: Measure;
  by: Record<Forecaster, { auc: Measure; brier: Measure }>;
  /** The Brier score of the engine less that of the other: below 0 the engine was better. */
  brierLess: Record<Exclude<Forecaster, 'engine'>, Measure>;
  /** Of the engine; both null without forecasts. */
  tenths: { forecasts: number; meanForecast: number | null; observed: Measure | null }[];
}

/** Fewer forecasts, or fewer of either outcome, and no figure is printed. */
export const LEAST = { forecasts: 100, ofEachOutcome: 10 } as const;

export function figuresOf(blocks: readonly Block[], seed: number): Figures {
  const came = blocks.flatMap(({ of, places }) => places.map((place) => of.came[place]!));
  const forecasts = came.length;
  const events = came.reduce((sum, event) => sum + event, 0);
  const enough = forecasts >= LEAST.forecasts && Math.min(events, forecasts - events) >= LEAST.ofEachOutcome;
  const series = new Set(blocks.map(({ of }) => of)).size;
  return { series, forecasts, events, scores: enough ? groupScores(blocks, seed) : null };
}

function groupScores(blocks: readonly Block[], seed: number): GroupScores {
  const scored = FORECASTERS.map((who) => new Scored(blocks, who));
  const measures = bootstrap(blocks.length, seed, (weights) => {
    const [engine, share, strength] = scored.map((of) => of.scores(weights));
    return new Map([
      ['observed', engine!.observed],
      ['bias', engine!.mean - engine!.observed],
      ['less share', engine!.brier - share!.brier],
      ['less strength', engine!.brier - strength!.brier],
      ...[engine!, share!, strength!].flatMap(({ auc, brier }, who): [string, number][] => [
        [`${FORECASTERS[who]} auc`, auc],
        [`${FORECASTERS[who]} brier`, brier],
      ]),
      ...engine!.tenths.map(({ observed }, tenth): [string, number] => [`tenth ${tenth}`, observed]),
    ]);
  });
  const measure = (name: string) => measures.get(name)!;
  const score = (who: Forecaster) => ({ auc: measure(`${who} auc`), brier: measure(`${who} brier`) });
  const whole = scored[0]!.scores(new Float64Array(blocks.length).fill(1));
  return {
    observed: measure('observed'),
    meanForecast: whole.mean,
    bias: measure('bias'),
    by: { engine: score('engine'), share: score('share'), strength: score('strength') },
    brierLess: { share: measure('less share'), strength: measure('less strength') },
    tenths: Array.from({ length: TENTHS }, (_, tenth) => {
      const { count, mean } = whole.tenths[tenth]!;
      const said = count > 0 && { meanForecast: mean, observed: measure(`tenth ${tenth}`) };
      return { forecasts: count, meanForecast: null, observed: null, ...said };
    }),
  };
}

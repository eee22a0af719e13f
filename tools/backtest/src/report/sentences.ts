import type { Backtest } from '../figures/backtest';
import type { Measure } from '../figures/bootstrap';
import { LEAST, type GroupScores } from '../figures/figures';
import { intervalOf, percent, plural, score, whole, wordsOf, type Words } from './format';

/** The findings of a back-test, in sentences; nothing is claimed that its intervals do not show. */
export function sentencesOf(backtest: Backtest): string[] {
  const words = wordsOf(backtest);
  const { scores } = backtest.overall;
  if (!scores) return [tooLittle(backtest, words)];
  return [frequency(backtest, scores, words), order(scores, words), level(scores, words), comparison(scores, words)];
}

/** How the intervals were made. */
export function intervalSentence(backtest: Backtest): string {
  const { unit, draws, seed } = backtest.intervals;
  const { one, many } = wordsOf(backtest);
  if (!backtest.overall.scores || backtest.overall.scores.observed.low === null) {
    return `No intervals: there are too few ${many} and too little time to draw from.`;
  }
  const how = `Intervals hold 95 %, by a bootstrap of ${draws} draws (seed ${seed}) of`;
  if (unit.whole) return `${how} whole ${many}. A group of fewer than 8 ${many} has none.`;
  const steps = backtest.subject === 'habits' ? 'days' : 'runs';
  return `${how} stretches of ${unit.length} ${steps} of one ${one}, as there are fewer than 8 ${many}: they say nothing of other ${many} and may be too narrow.`;
}

function tooLittle({ overall: { series, forecasts, events } }: Backtest, { one, many, events: event }: Words): string {
  return (
    `Too little to judge: ${plural(forecasts, 'forecast')} of ${plural(series, one, many)}, ${whole(events)} of them followed by ${event}. ` +
    `Figures need at least ${LEAST.forecasts} forecasts, with ${LEAST.ofEachOutcome} ${event} and as many times none.`
  );
}

function frequency({ overall, from, to }: Backtest, { observed }: GroupScores, { one, many, event }: Words): string {
  const what = `${plural(overall.forecasts, 'forecast')} of ${plural(overall.series, one, many)} from ${from} to ${to}`;
  return `${what}; ${event} followed ${percent(observed.value)} of them.`;
}

function order({ by }: GroupScores, { event }: Words): string {
  const { auc } = by.engine;
  const pairs = `of two forecasts, one followed by ${event} and one not, the first was the higher in ${percent(auc.value)} of pairs`;
  const figure = `AUC ${score(auc.value)}, ${intervalOf(auc) || 'without an interval'}`;
  const word = auc.value >= 0.8 ? 'good' : auc.value >= 0.7 ? 'fair' : 'weak';
  return side(auc, 0.5, {
    unknown: `Order: ${pairs} (${figure}).`,
    above: `The order is ${word}: ${pairs}; chance alone gives half (${figure}).`,
    below: `The order is worse than chance: ${pairs} (${figure}).`,
    neither: `The order is no better than chance, which gives an AUC of 0.5: these forecasts do not tell who will have ${event} (${figure}).`,
  });
}

function level({ meanForecast, observed, bias }: GroupScores, { event }: Words): string {
  const means = `on average they said ${percent(meanForecast)}, and ${event} followed ${percent(observed.value)}.`;
  return side(bias, 0, {
    unknown: `Level: ${means}`,
    above: `The forecasts were too high: ${means}`,
    below: `The forecasts were too low: ${means}`,
    neither: `The level fits${Math.abs(bias.value) < 0.02 ? '' : ' as far as the data shows'}: ${means}`,
  });
}

function comparison({ by, brierLess }: GroupScores, { forecasters }: Words): string {
  const against = (['share', 'strength'] as const).map((other) => {
    const verdict = side(brierLess[other], 0, {
      unknown: 'beside',
      above: 'worse than',
      below: 'better than',
      neither: 'no different from',
    });
    return `${verdict} ${other === 'share' ? 'the ' : ''}${forecasters[other]} (${score(by[other].brier.value)})`;
  });
  return `By the Brier score of ${score(by.engine.brier.value)}, where less is better, the ${forecasters.engine} was ${against.join(' and ')}.`;
}

/** On which side of a value an interval lies. */
function side<Text>(
  { low, high }: Measure,
  of: number,
  texts: Record<'unknown' | 'above' | 'below' | 'neither', Text>,
): Text {
  if (low === null || high === null) return texts.unknown;
  if (low > of) return texts.above;
  return high < of ? texts.below : texts.neither;
}

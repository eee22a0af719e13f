import { civilDate } from '@evenkeel/scoring';
import type { Backtest } from '../figures/backtest';
import type { Measure } from '../figures/bootstrap';
import type { Drift } from '../figures/breakdowns';
import { LEAST, type Figures, type GroupScores } from '../figures/figures';
import { intervalOf, percent, plural, score, whole, wordsOf, type Words } from './format';

/** The findings of a back-test, in sentences; nothing is claimed that its intervals do not show. */
export function sentencesOf(backtest: Backtest): string[] {
  const words = wordsOf(backtest);
  const { overall, drift } = backtest;
  if (!overall.scores) return [tooLittle(backtest, words)];
  return [
    frequency(backtest, overall.scores, words),
    order(overall.scores.by.engine.auc, words),
    level(overall, overall.scores, words),
    comparison(overall.scores, words),
    ...(drift ? driftSentences(drift, words) : []),
  ];
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

export function tooLittle(
  { overall: { series, forecasts, events } }: Backtest,
  { one, many, events: event }: Words,
): string {
  return (
    `Too little to judge: ${plural(forecasts, 'forecast')} of ${plural(series, one, many)}, ${whole(events)} of them followed by ${event}. ` +
    `Figures need at least ${LEAST.forecasts} forecasts, with ${LEAST.ofEachOutcome} ${event} and as many times none.`
  );
}

function frequency({ overall, from, to }: Backtest, { observed }: GroupScores, { one, many, event }: Words): string {
  const what = `${plural(overall.forecasts, 'forecast')} of ${plural(overall.series, one, many)} from ${from} to ${to}`;
  return `${what}; ${event} followed ${percent(observed.value)} of them.`;
}

function order(auc: Measure, { event }: Words): string {
  const pairs = `of two forecasts, one followed by ${event} and one not, the first was the higher in ${percent(auc.value)} of pairs`;
  const told = `AUC ${score(auc.value)}, ${intervalOf(auc)}`;
  if (auc.low === null || auc.high === null) return `Order: ${pairs} (AUC ${score(auc.value)}, without an interval).`;
  if (auc.low > 0.5) return `The order is ${orderWord(auc.value)}: ${pairs}; chance alone gives half (${told}).`;
  if (auc.high < 0.5) return `The order is worse than chance: ${pairs} (${told}).`;
  return `The order is no better than chance, which gives an AUC of 0.5: these forecasts do not tell who will have ${event} (${told}).`;
}

function orderWord(auc: number): string {
  if (auc >= 0.8) return 'good';
  return auc >= 0.7 ? 'fair' : 'weak';
}

function level({ meanForecast }: Figures, { observed, by }: GroupScores, { event }: Words): string {
  const { value, low, high } = by.engine.bias;
  const means = `on average they said ${percent(meanForecast ?? 0)}, and ${event} followed ${percent(observed.value)}`;
  const tenths = `within the tenths they were off by ${percent(by.engine.calibrationError)}`;
  if (low === null || high === null) return `Level: ${means}; ${tenths}.`;
  if (low > 0) return `The forecasts were too high: ${means}; ${tenths}.`;
  if (high < 0) return `The forecasts were too low: ${means}; ${tenths}.`;
  return `The level fits${Math.abs(value) < 0.02 ? '' : ' as far as the data shows'}: ${means}; ${tenths}.`;
}

function comparison({ by, brierLess }: GroupScores, { forecasters }: Words): string {
  const against = (['share', 'strength'] as const).map((other) => {
    const { low, high } = brierLess[other];
    const verdict =
      low === null || high === null
        ? 'beside'
        : high < 0
          ? 'better than'
          : low > 0
            ? 'worse than'
            : 'no different from';
    return `${verdict} ${other === 'share' ? 'the ' : ''}${forecasters[other]} (${score(by[other].brier.value)})`;
  });
  return `By the Brier score of ${score(by.engine.brier.value)}, where less is better, the ${forecasters.engine} was ${against.join(' and ')}.`;
}

function driftSentences({ from, first, second, observedChange, biasChange }: Drift, { event }: Words): string[] {
  const isChange = ({ low, high }: Measure) => low !== null && high !== null && (low > 0 || high < 0);
  const halves = `${event} followed ${percent(first.observed)} of forecasts before ${civilDate(from)} and ${percent(second.observed)} from then on`;
  const bias = (half: typeof first) => percent(half.meanForecast - half.observed);
  const said: string[] = [];
  if (isChange(observedChange) && Math.abs(observedChange.value) >= 0.1)
    said.push(`What is forecast drifted: ${halves}.`);
  if (isChange(biasChange) && Math.abs(biasChange.value) >= 0.02) {
    said.push(
      `The forecasts fitted differently over time: mean forecast less frequency was ${bias(first)} before ${civilDate(from)} and ${bias(second)} after.`,
    );
  }
  return said;
}

import { type Backtest, type GroupScores, LEAST } from './backtest';
import type { Measure } from './scores';

/** The words of a report about habits, and of one about tasks: of the event that is forecast, and of the steps of a stretch. */
export const WORDS = {
  habits: {
    one: 'habit',
    many: 'habits',
    event: 'a lapse',
    events: 'lapses',
    question: 'Each morning: will fewer than half of the occasions of the next seven days be done?',
    forecasters: { engine: 'lapse risk', share: 'share done so far', strength: "Loop's strength" },
    steps: 'days',
  },
  tasks: {
    one: 'task',
    many: 'tasks',
    event: 'a failure',
    events: 'failures',
    question: 'Before each run: will it fail?',
    forecasters: { engine: 'next-run risk', share: 'share passed so far', strength: '13-run strength' },
    steps: 'runs',
  },
};
export type Words = (typeof WORDS)['habits'];

/** `0.867`; the minus sign of typography, no `-0`. */
export function score(value: number): string {
  return signed(value.toFixed(3));
}

/** `14.2 %`, which does not break. */
export function percent(share: number): string {
  return `${signed((100 * share).toFixed(1))}\u00A0%`;
}

function signed(text: string): string {
  return /[1-9]/.test(text) ? text.replace('-', '\u2212') : text.replace('-', '');
}

/** `182,500`. */
export function whole(count: number): string {
  return count.toLocaleString('en');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

/** `0.851 to 0.884`, or nothing. */
export function intervalOf({ low, high }: Measure): string {
  return low === null || high === null ? '' : `${score(low)} to ${score(high)}`;
}

/** The findings of a back-test, in sentences; nothing is claimed that its intervals do not show. */
export function sentencesOf({ subject, overall, from, to }: Backtest): string[] {
  const { one, many, event, events, forecasters } = WORDS[subject];
  const forecasts = `${plural(overall.forecasts, 'forecast')} of ${plural(overall.series, one, many)}`;
  if (!overall.scores) {
    return [
      `Too little to judge: ${forecasts}, ${whole(overall.events)} of them followed by ${events}. ` +
        `Figures need at least ${LEAST.forecasts} forecasts, with ${LEAST.ofEachOutcome} ${events} and as many times none.`,
    ];
  }
  const { brierLess, by, observed } = overall.scores;
  const against = (['share', 'strength'] as const).map((other) => {
    const verdict = side(brierLess[other], 0, {
      unknown: 'beside',
      above: 'worse than',
      below: 'better than',
      neither: 'no different from',
    });
    return `${verdict} ${other === 'share' ? 'the ' : ''}${forecasters[other]} (${score(by[other].brier.value)})`;
  });
  return [
    `${forecasts} from ${from} to ${to}; ${event} followed ${percent(observed.value)} of them.`,
    order(overall.scores, event),
    level(overall.scores, event),
    `By the Brier score of ${score(by.engine.brier.value)}, where less is better, the ${forecasters.engine} was ${against.join(' and ')}.`,
  ];
}

function order({ by }: GroupScores, event: string): string {
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

function level({ meanForecast, observed, bias }: GroupScores, event: string): string {
  const means = `on average they said ${percent(meanForecast)}, and ${event} followed ${percent(observed.value)}.`;
  return side(bias, 0, {
    unknown: `Level: ${means}`,
    above: `The forecasts were too high: ${means}`,
    below: `The forecasts were too low: ${means}`,
    neither: `The level fits${Math.abs(bias.value) < 0.02 ? '' : ' as far as the data shows'}: ${means}`,
  });
}

/** By the side of a value on which an interval lies. */
function side({ low, high }: Measure, of: number, texts: Record<'unknown' | 'above' | 'below' | 'neither', string>) {
  if (low === null || high === null) return texts.unknown;
  if (low > of) return texts.above;
  return high < of ? texts.below : texts.neither;
}

export function intervalSentence({ intervals: { unit, draws, seed }, overall, subject }: Backtest): string {
  const { one, many, steps } = WORDS[subject];
  if (!overall.scores || overall.scores.observed.low === null) {
    return `No intervals: there are too few ${many} and too little time to draw from.`;
  }
  const how = `Intervals hold 95 %, by a bootstrap of ${draws} draws (seed ${seed}) of`;
  if (unit.whole) return `${how} whole ${many}. A group of fewer than 8 ${many} has none.`;
  return `${how} stretches of ${unit.length} ${steps} of one ${one}, as there are fewer than 8 ${many}: they say nothing of other ${many} and may be too narrow.`;
}

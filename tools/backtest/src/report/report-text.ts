import type { Backtest } from '../figures/backtest';
import type { NamedFigures } from '../figures/breakdowns';
import type { GroupScores } from '../figures/figures';
import { FORECASTERS } from '../forecasts/forecasts';
import { intervalOf, percent, plural, score, whole, withInterval, printable, wordsOf, type Words } from './format';
import { intervalSentence, sentencesOf } from './sentences';

const SHOWN_REJECTS = 20;

/** The back-test for a terminal. */
export function reportText(backtest: Backtest): string {
  const words = wordsOf(backtest);
  const { overall, notes, worst } = backtest;
  const figures = overall.scores
    ? [
        scoreTable(overall.scores, words),
        tenthTable(overall.scores),
        groupTable('By kind', backtest.byKind, words),
        groupTable('By history', backtest.byHistory, words),
        groupTable('By period', backtest.byPeriod, words),
        worst.length === 0 ? '' : worstTable(backtest, words),
        intervalSentence(backtest),
      ]
    : [];
  const parts = [
    `${backtest.format}, engine ${backtest.engineVersion}. ${words.question}`,
    sentencesOf(backtest).join('\n'),
    ...figures,
    notes.join('\n'),
    rejectText(backtest),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function scoreTable({ by }: GroupScores, { forecasters }: Words): string {
  return table([
    ['', 'AUC', 'Brier', 'log loss', 'off in tenths', 'sharpness'],
    ...FORECASTERS.map((who) => {
      const { auc, brier, logLoss, calibrationError, sharpness } = by[who];
      const [order, error, surprise, spread] = [auc, brier, logLoss, sharpness].map((measure) => withInterval(measure));
      return [forecasters[who], order!, error!, surprise!, score(calibrationError), spread!];
    }),
  ]);
}

function tenthTable({ tenths }: GroupScores): string {
  return table([
    ['forecast', 'count', 'mean', 'came', '95 %'],
    ...tenths.map(({ from, to, forecasts, meanForecast, observed }) => [
      `${from.toFixed(1)} to ${to.toFixed(1)}`,
      whole(forecasts),
      meanForecast === null ? '-' : score(meanForecast),
      observed === null ? '-' : score(observed.value),
      observed === null ? '' : intervalOf(observed),
    ]),
  ]);
}

function groupTable(title: string, groups: readonly NamedFigures[], { many, events, forecasters }: Words): string {
  if (groups.length === 0) return '';
  const head = [
    title,
    many,
    'forecasts',
    events,
    'mean forecast',
    'AUC',
    'Brier',
    forecasters.share,
    forecasters.strength,
  ];
  const rows = groups.map(({ name, series, forecasts, events: came, meanForecast, scores }) => {
    const counts = [
      printable(name),
      whole(series),
      whole(forecasts),
      forecasts === 0 ? '-' : percent(came / forecasts),
    ];
    counts.push(meanForecast === null ? '-' : percent(meanForecast));
    if (!scores) return [...counts, 'too few'];
    const { engine, share, strength } = scores.by;
    const others = [share, strength].map(({ brier }) => score(brier.value));
    return [...counts, withInterval(engine.auc), withInterval(engine.brier), ...others];
  });
  return table([head, ...rows]);
}

function worstTable({ worst, subject }: Backtest, { event }: Words): string {
  const legend = `d ${subject === 'habits' ? 'done' : 'passed'}, m ${subject === 'habits' ? 'missed' : 'failed'}${subject === 'habits' ? ', s skipped, - nothing due' : ''}`;
  return table([
    ['Worst forecasts', 'day', 'said', 'then', `before and after (${legend})`],
    ...worst.map(({ name, date, forecast, came, before, after }) => [
      printable(name),
      date,
      percent(forecast),
      came ? event : 'none',
      `${before} | ${after}`,
    ]),
  ]);
}

export function rejectText({ rejects: { count, first } }: Pick<Backtest, 'rejects'>): string {
  if (count === 0) return '';
  const shown = first.slice(0, SHOWN_REJECTS).map(({ row, reason }) => `  ${printable(row)}: ${reason}`);
  const more = count > shown.length ? [`  and ${whole(count - shown.length)} more`] : [];
  return [`Left out: ${plural(count, 'entry', 'entries')}`, ...shown, ...more].join('\n');
}

/** The first column to the left, the others too: intervals make numbers of different length. */
function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

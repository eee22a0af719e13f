import type { Backtest, NamedFigures } from '../figures/backtest';
import type { GroupScores } from '../figures/figures';
import { FORECASTERS } from '../forecasts/forecasts';
import { intervalOf, percent, plural, printable, score, whole, withInterval, wordsOf, type Words } from './format';
import { intervalSentence, sentencesOf } from './sentences';

const SHOWN_REJECTS = 20;

/** The back-test for a terminal. */
export function reportText(backtest: Backtest): string {
  const words = wordsOf(backtest);
  const { overall, notes } = backtest;
  const figures = overall.scores
    ? [
        scoreTable(overall.scores, words),
        tenthTable(overall.scores),
        groupTable('By kind', backtest.byKind, words),
        groupTable('By period', backtest.byPeriod, words),
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
    ['', 'AUC', 'Brier'],
    ...FORECASTERS.map((who) => [forecasters[who], withInterval(by[who].auc), withInterval(by[who].brier)]),
  ]);
}

function tenthTable({ tenths }: GroupScores): string {
  return table([
    ['forecast', 'count', 'mean', 'came', '95 %'],
    ...tenths.map(({ forecasts, meanForecast, observed }, tenth) => [
      `${(tenth / 10).toFixed(1)} to ${((tenth + 1) / 10).toFixed(1)}`,
      whole(forecasts),
      meanForecast === null ? '-' : score(meanForecast),
      observed === null ? '-' : score(observed.value),
      observed === null ? '' : intervalOf(observed),
    ]),
  ]);
}

function groupTable(title: string, groups: readonly NamedFigures[], { many, events, forecasters }: Words): string {
  if (groups.length === 0) return '';
  const others = [forecasters.share, forecasters.strength].map((name) => `Brier of ${name}`);
  const head = [title, many, 'forecasts', events, 'mean forecast', 'AUC', 'Brier', ...others];
  const rows = groups.map(({ name, series, forecasts, events: came, scores }) => {
    const frequency = forecasts === 0 ? '-' : percent(came / forecasts);
    const counts = [printable(name), whole(series), whole(forecasts), frequency];
    if (!scores) return [...counts, 'too few'];
    const { engine, share, strength } = scores.by;
    const briers = [withInterval(engine.brier), score(share.brier.value), score(strength.brier.value)];
    return [...counts, percent(scores.meanForecast), withInterval(engine.auc), ...briers];
  });
  return table([head, ...rows]);
}

export function rejectText({ rejects: { count, first } }: Pick<Backtest, 'rejects'>): string {
  if (count === 0) return '';
  const shown = first.slice(0, SHOWN_REJECTS).map(({ row, reason }) => `  ${printable(row)}: ${reason}`);
  const more = count > shown.length ? [`  and ${whole(count - shown.length)} more`] : [];
  return [`Left out: ${plural(count, 'entry', 'entries')}`, ...shown, ...more].join('\n');
}

/** All columns to the left: intervals make numbers of different length. */
function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

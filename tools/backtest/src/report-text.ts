import type { Backtest, Figures, GroupScores } from './backtest';
import { FORECASTERS } from './forecasts';
import type { Measure } from './scores';
import {
  intervalOf,
  intervalSentence,
  percent,
  plural,
  score,
  sentencesOf,
  whole,
  type Words,
  WORDS,
} from './sentences';

export function reportText(backtest: Backtest): string {
  const { byKind, byPeriod, engineVersion, format, notes, overall, rejects, subject } = backtest;
  const words = WORDS[subject];
  const figures = overall.scores && [
    scoreTable(overall.scores, words),
    tenthTable(overall.scores),
    groupTable('By kind', byKind, words),
    groupTable('By period', byPeriod, words),
    intervalSentence(backtest),
  ];
  const parts = [
    `${format}, engine ${engineVersion}. ${words.question}`,
    sentencesOf(backtest).join('\n'),
    ...(figures ?? []),
    notes.join('\n'),
    rejectText(rejects),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function scoreTable({ by }: GroupScores, { forecasters }: Words): string {
  const rows = FORECASTERS.map((who) => [forecasters[who], withInterval(by[who].auc), withInterval(by[who].brier)]);
  return table(['', 'AUC', 'Brier'], rows);
}

function tenthTable({ tenths }: GroupScores): string {
  const rows = tenths.map(({ forecasts, meanForecast, observed }, tenth) => [
    `${(tenth / 10).toFixed(1)} to ${((tenth + 1) / 10).toFixed(1)}`,
    whole(forecasts),
    meanForecast === null ? '-' : score(meanForecast),
    observed === null ? '-' : score(observed.value),
    observed === null ? '' : intervalOf(observed),
  ]);
  return table(['forecast', 'count', 'mean', 'came', '95 %'], rows);
}

function groupTable(title: string, groups: readonly Figures[], { many, events, forecasters }: Words): string {
  if (groups.length === 0) return '';
  const others = [forecasters.share, forecasters.strength].map((name) => `Brier of ${name}`);
  const rows = groups.map(({ name, series, forecasts, events: came, scores }) => {
    const frequency = forecasts === 0 ? '-' : percent(came / forecasts);
    const counts = [printable(name), whole(series), whole(forecasts), frequency];
    if (!scores) return [...counts, 'too few'];
    const { engine, share, strength } = scores.by;
    const briers = [withInterval(engine.brier), score(share.brier.value), score(strength.brier.value)];
    return [...counts, percent(scores.meanForecast), withInterval(engine.auc), ...briers];
  });
  return table([title, many, 'forecasts', events, 'mean forecast', 'AUC', 'Brier', ...others], rows);
}

/** `0.867 (0.851 to 0.884)`, without the interval where there is none. */
function withInterval(measure: Measure): string {
  const interval = intervalOf(measure);
  return interval === '' ? score(measure.value) : `${score(measure.value)} (${interval})`;
}

/** All columns to the left: intervals make numbers of different length. */
function table(head: readonly string[], body: readonly string[][]): string {
  const rows = [head, ...body];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const SHOWN_REJECTS = 20;

export function rejectText({ count, first }: Backtest['rejects']): string {
  if (count === 0) return '';
  const shown = first.slice(0, SHOWN_REJECTS).map(({ row, reason }) => `  ${printable(row)}: ${reason}`);
  const more = count > shown.length ? [`  and ${whole(count - shown.length)} more`] : [];
  return [`Left out: ${plural(count, 'entry', 'entries')}`, ...shown, ...more].join('\n');
}

/** A name for a terminal: without characters that move its cursor, colour it or turn its direction; not too long. */
function printable(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u00B7');
  return plain.length <= 60 ? plain : `${plain.slice(0, 59)}…`;
}

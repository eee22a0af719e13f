import type { Backtest } from '../../figures/backtest';
import type { NamedFigures, WorstForecast } from '../../figures/breakdowns';
import type { GroupScores } from '../../figures/figures';
import { intervalOf, percent, score, whole, type Words } from '../format';
import type { Measure } from '../../figures/bootstrap';
import { html, type Content, type Html } from './charts';

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Content;
  /** Words are aligned to the left. */
  readonly words?: true;
}

export function groupTable(caption: string, first: string, groups: readonly NamedFigures[], words: Words): Html {
  const ofScores = (cell: (scores: GroupScores) => Content) => (group: NamedFigures) =>
    group.scores ? cell(group.scores) : html`<span class="muted">too few</span>`;
  return table<NamedFigures>(caption, groups, [
    { head: first, cell: ({ name }) => name, words: true },
    { head: words.many, cell: ({ series }) => whole(series) },
    { head: 'forecasts', cell: ({ forecasts }) => whole(forecasts) },
    { head: words.events, cell: ({ forecasts, events }) => (forecasts === 0 ? '–' : percent(events / forecasts)) },
    { head: 'mean forecast', cell: ({ meanForecast }) => (meanForecast === null ? '–' : percent(meanForecast)) },
    { head: 'AUC', cell: ofScores(({ by }) => measured(by.engine.auc)) },
    { head: 'Brier', cell: ofScores(({ by }) => measured(by.engine.brier)) },
    { head: `${words.forecasters.share}, Brier`, cell: ofScores(({ by }) => score(by.share.brier.value)) },
    { head: `${words.forecasters.strength}, Brier`, cell: ofScores(({ by }) => score(by.strength.brier.value)) },
  ]);
}

export function tenthTable({ tenths }: GroupScores, { events }: Words): Html {
  return table('Forecasts by tenths', tenths, [
    { head: 'forecast', cell: ({ from, to }) => `${100 * from} to ${100 * to} %`, words: true },
    { head: 'forecasts', cell: ({ forecasts }) => whole(forecasts) },
    { head: 'mean', cell: ({ meanForecast }) => (meanForecast === null ? '–' : percent(meanForecast)) },
    { head: events, cell: ({ observed }) => (observed === null ? '–' : measured(observed, percent)) },
  ]);
}

export function worstTable({ worst, subject }: Pick<Backtest, 'worst' | 'subject'>, { event, one }: Words): Html {
  return table<WorstForecast>('Worst forecasts', worst, [
    { head: one, cell: ({ name, kind }) => html`${name} <small>${kind}</small>`, words: true },
    { head: 'day', cell: ({ date }) => date, words: true },
    { head: 'said', cell: ({ forecast }) => percent(forecast) },
    { head: 'came', cell: ({ came }) => (came ? event : `not ${event}`), words: true },
    { head: 'before', cell: ({ before }) => strip(before, subject), words: true },
    { head: 'after', cell: ({ after }) => strip(after, subject), words: true },
  ]);
}

const MARK_NAMES: Record<Backtest['subject'], Readonly<Record<string, string>>> = {
  habits: { d: 'done', m: 'missed', s: 'skipped', '-': 'not due' },
  tasks: { d: 'passed', m: 'failed' },
};

/** A mark for each day or run, which differ in form too. */
export function strip(marks: string, subject: Backtest['subject']): Html {
  const counts = Object.entries(MARK_NAMES[subject])
    .map(([mark, name]) => ({ name, count: [...marks].filter((one) => one === mark).length }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`);
  const shapes = [...marks].map((mark, at) => {
    const x = at * 10;
    if (mark === 'd') return html`<rect class="done" x="${x}" y="1" width="8" height="14" rx="2" />`;
    if (mark === 'm') return html`<rect class="missed" x="${x + 0.75}" y="1.75" width="6.5" height="12.5" rx="1.5" />`;
    if (mark === 's') return html`<line class="skipped" x1="${x + 1}" y1="14" x2="${x + 7}" y2="2" />`;
    return html`<circle class="off" cx="${x + 4}" cy="8" r="1.5" />`;
  });
  const width = Math.max(1, marks.length) * 10;
  return html`<svg
    class="strip"
    role="img"
    aria-label="${counts.join(', ')}"
    viewBox="0 0 ${width} 16"
    width="${width}"
    height="16"
  >
    ${shapes}
  </svg>`;
}

function measured(measure: Measure, text: (value: number) => string = score): Html {
  const interval = intervalOf(measure, text);
  return html`${text(measure.value)}${interval === '' ? '' : html` <small>${interval}</small>`}`;
}

/** On a narrow window a row becomes a block, so every part says what it is. */
function table<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const kind = ({ words }: Column<Row>) => (words ? 'words' : 'number');
  const head = columns.map(
    (column) => html`<th role="columnheader" scope="col" class="${kind(column)}">${column.head}</th>`,
  );
  const body = rows.map((row) => {
    const cells = columns.map((column, at) =>
      at === 0
        ? html`<th role="rowheader" scope="row">${column.cell(row)}</th>`
        : html`<td role="cell" class="${kind(column)}" data-label="${column.head}">${column.cell(row)}</td>`,
    );
    return html`<tr role="row">
      ${cells}
    </tr>`;
  });
  return html`<table role="table">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${head}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${body}
    </tbody>
  </table>`;
}

import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Day } from './answers';
import { type Bar, callsOf, chartGeometry, type ChartGeometry, dayAt } from './chart-geometry';
import { countInWords, moneyText, pair, paymentsInWords } from './figures.panel';
import type { PageActions, PageState, Panel } from './page-state';
import { dateText } from './times-text';
import { count, money, paymentsLink, SKELETON } from './values';

const WEEK = 7;
const BAR = svg`<svg class="key" viewBox="0 0 16 10" aria-hidden="true"><rect class="bar" x="3" width="10" height="10" rx="2" /></svg>`;
const LINE = svg`<svg class="key" viewBox="0 0 16 10" aria-hidden="true"><path class="calls" d="M0 5h16" /><circle class="calls-point" cx="8" cy="5" r="3" /></svg>`;

export const chartToolsPanel: Panel = ({ view: { table } }, { look }) =>
  html`<button
    type="button"
    class="plain"
    aria-expanded=${table}
    aria-controls="chart-table"
    @click=${() => look({ table: !table })}
  >
    ${table ? 'Chart' : 'Table'}
  </button>`;

/** Reserved while the numbers load. */
const CHART_HEIGHT = 244;

export const chartPanel: Panel = (state, actions) => {
  const { timeseries } = state.answers;
  const { compare, table } = state.view;
  const days = timeseries?.points ?? [];
  const before = (compare && timeseries?.previous?.points) || [];
  const day = Math.min(state.day ?? Infinity, days.length - 1);
  return html`
    ${dayReadout(days[day], before[day], state, actions)}
    <div class="chart" ?hidden=${table}>
      ${days.length > 0 && state.chartWidth > 0 ? plot(days, before, day, state, actions) : nothing}
    </div>
    <div id="chart-table" class=${table ? 'days' : 'unseen'} tabindex=${table ? 0 : nothing}>
      ${chartTable(days)}
    </div>
  `;
};

function plot(
  days: readonly Day[],
  before: readonly Day[],
  day: number,
  { chartWidth }: PageState,
  { moveTo }: PageActions,
): TemplateResult {
  const geometry = chartGeometry(days, before, { width: chartWidth, height: CHART_HEIGHT });
  const follow = (event: PointerEvent): void => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    moveTo(dayAt(((event.clientX - left) / width) * chartWidth, geometry));
  };
  const step = (event: KeyboardEvent): void => {
    const next = dayAfterKey(event.key, day, days.length);
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next);
  };
  return html`<div
    class="plot"
    role="slider"
    tabindex="0"
    aria-label="Day of the chart"
    aria-valuemin="1"
    aria-valuemax=${days.length}
    aria-valuenow=${day + 1}
    aria-valuetext=${dayWords(days[day]!, day === days.length - 1)}
    @pointermove=${follow}
    @pointerdown=${follow}
    @keydown=${step}
  >
    ${drawing(geometry, day, chartWidth)}
  </div>`;
}

function drawing(geometry: ChartGeometry, day: number, width: number): TemplateResult {
  const { bars, before, calls, plot } = geometry;
  const line = calls.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L');
  const at = calls[day]!;
  return html`<svg viewBox="0 0 ${width} ${CHART_HEIGHT}" aria-hidden="true">
    <defs>
      <pattern id="so-far" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="hatch" d="M0 0V5" />
      </pattern>
    </defs>
    ${axes(geometry, width)}
    <path class="cursor" d="M${at.x} ${plot.top}V${plot.bottom}" />
    ${bars.map((bar, index) => barOf(bar, index === bars.length - 1, index === day))}
    ${before.map((y, index) => (y === undefined ? nothing : beforeMark(bars[index]!, y)))}
    ${calls.length > 1 ? svg`<path class="calls halo" d="M${line}" /><path class="calls" d="M${line}" />` : nothing}
    <circle class="calls-point" cx=${at.x} cy=${at.y} r="4" />
  </svg>`;
}

function barOf({ x, y, width, height }: Bar, isToday: boolean, isCurrent: boolean): TemplateResult {
  const kind = `bar${isToday ? ' so-far' : ''}${isCurrent ? ' current' : ''}`;
  return svg`<rect class=${kind} x=${x} y=${y} width=${width} height=${height} rx=${Math.min(2, width / 4)} />`;
}

function beforeMark({ x, width }: Bar, y: number): TemplateResult {
  const mark = `M${x - 1} ${y}h${width + 2}`;
  return svg`<path class="before halo" d=${mark} /><path class="before" d=${mark} />`;
}

function axes({ plot, revenueTicks, callTicks, dayTicks }: ChartGeometry, width: number): TemplateResult {
  return svg`
    <text x=${plot.left - 8} y="12" text-anchor="end">USD</text>
    <text x=${plot.right + 8} y="12">calls</text>
    ${revenueTicks.map(
      ({ at, text }) => svg`<path class="grid" d="M${plot.left} ${at}H${plot.right}" />
        <text x=${plot.left - 8} y=${at + 4} text-anchor="end">${text}</text>`,
    )}
    ${callTicks.map(({ at, text }) => svg`<text x=${plot.right + 8} y=${at + 4}>${text}</text>`)}
    ${dayTicks.map(({ at, text }) => {
      // With narrow bars the last label would overflow the picture.
      const x = Math.min(Math.max(at, 20), width - 20);
      return svg`<text x=${x} y=${plot.bottom + 18} text-anchor="middle">${text}</text>`;
    })}`;
}

/**
 * The day that a key selects, or nothing when the key is not for the chart.
 * @param day index of the day under the cursor
 */
export function dayAfterKey(key: string, day: number, days: number): number | undefined {
  const wanted: Record<string, number> = {
    ArrowLeft: day - 1,
    ArrowDown: day - 1,
    ArrowRight: day + 1,
    ArrowUp: day + 1,
    PageUp: day + WEEK,
    PageDown: day - WEEK,
    Home: 0,
    End: days - 1,
  };
  const next = wanted[key];
  return next === undefined ? undefined : Math.min(Math.max(next, 0), days - 1);
}

/** All values of one day; also the legend of bars and line. */
function dayReadout(
  day: Day | undefined,
  before: Day | undefined,
  state: PageState,
  actions: PageActions,
): TemplateResult {
  const paid = day?.paid_calls ?? 0;
  const paidCalls = day
    ? paymentsLink(count(paid), { filters: { day: day.date } }, state, actions, paymentsInWords(paid))
    : SKELETON;
  return html`<dl class="readout">
    <div class="date">
      <dt class="unseen">Day</dt>
      <dd>${day ? dateText(day.date) : SKELETON}</dd>
    </div>
    ${pair(html`${BAR}Revenue, USD`, money(day?.gross_revenue))}
    ${before ? pair(html`<span class="key before"></span>Before`, money(before.gross_revenue)) : nothing}
    ${pair(html`${LINE}Calls`, count(day && callsOf(day)))} ${pair('Margin', money(day?.net_margin))}
    ${pair('Paid', paidCalls)} ${pair('By credit', count(day?.credit_calls))}
    ${pair('Payers', count(day?.unique_payers))}
  </dl>`;
}

/** The same in one sentence. */
function dayWords(day: Day, isToday: boolean): string {
  const { date, gross_revenue, net_margin, paid_calls, credit_calls, unique_payers } = day;
  return (
    `${dateText(date)}${isToday ? ', so far' : ''}: revenue ${moneyText(gross_revenue)} USD, ` +
    `margin ${moneyText(net_margin)} USD, ${countInWords(paid_calls)} paid calls, ` +
    `${countInWords(credit_calls)} credit calls, ${countInWords(unique_payers)} payers`
  );
}

/** The numbers of the chart as a table, also for screen readers. */
function chartTable(days: readonly Day[]): TemplateResult {
  return html`<table>
    <caption class="unseen">
      Revenue and calls per UTC day, the latest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Day, UTC</th>
        <th scope="col" class="number">Revenue, USD</th>
        <th scope="col" class="number">Cost, USD</th>
        <th scope="col" class="number">Margin, USD</th>
        <th scope="col" class="number">Paid calls</th>
        <th scope="col" class="number">Credit calls</th>
        <th scope="col" class="number">Payers</th>
      </tr>
    </thead>
    <tbody>
      ${days.map((day, index) => row(day, index === days.length - 1)).reverse()}
    </tbody>
  </table>`;
}

function row(day: Day, isToday: boolean): TemplateResult {
  return html`<tr>
    <th scope="row">${dateText(day.date)}${isToday ? ', so far' : ''}</th>
    <td class="number">${money(day.gross_revenue)}</td>
    <td class="number">${money(day.attributed_cost)}</td>
    <td class="number">${money(day.net_margin)}</td>
    <td class="number">${count(day.paid_calls)}</td>
    <td class="number">${count(day.credit_calls)}</td>
    <td class="number">${count(day.unique_payers)}</td>
  </tr>`;
}

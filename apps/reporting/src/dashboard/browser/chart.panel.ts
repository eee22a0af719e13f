import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Day, Interval, Timeseries } from './answers';
import { callsOf, chartGeometry, type ChartGeometry, pointAt, type Series, type Strip } from './chart-geometry';
import { choice, type Frame } from './frame';
import type { PageState, Panel } from './page-state';
import { intervalsOf, paymentsOfPoint, pointText, suitedInterval } from './points';
import { named, numbers, table } from './table';
import { countInWords, moneyText, nameText, paymentsInWords, shortDateText } from './text';
import { count, money, pairs, settledLink, SKELETON } from './values';

const key = (drawing: TemplateResult): TemplateResult =>
  html`<svg class="key" viewBox="0 0 14 10" aria-hidden="true">${drawing}</svg>`;
const REVENUE_KEY = key(svg`<rect class="bar" width="10" height="10" rx="2" />`);
const CALLS_KEY = key(svg`<rect class="calls-bar" y="4" width="10" height="6" rx="1" />`);
const BEFORE_KEY = key(svg`<path class="before" d="M0 5h12" />`);

const INTERVAL_WORDS: Record<Interval, string> = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' };

/** Reserved while the numbers load. */
const CHART_HEIGHT = 228;

export const chart: Frame = {
  name: 'timeseries',
  id: 'chart',
  title: ({ answers: { timeseries } }) => `Revenue per ${timeseries?.interval ?? 'day'}`,
  tools: (state) => chartTools(state),
  content: (state) => {
    const { answers, view } = state;
    const { timeseries } = answers;
    const series = timeseries && seriesOf(timeseries, view.compare);
    const index = Math.min(state.day ?? Infinity, (series?.points.length ?? 0) - 1);
    return html`
      ${readout(series, index, state)}
      <div class="chart" ?hidden=${view.table}>
        ${series && index >= 0 && state.chartWidth > 0 ? plot(series, index, state) : nothing}
      </div>
      <div id="chart-table" class=${view.table ? 'days' : 'unseen'} tabindex=${view.table ? 0 : nothing}>
        ${timeseries ? chartTable(timeseries, state) : nothing}
      </div>
    `;
  },
};

const chartTools: Panel = ({ view, answers: { timeseries }, act: { look } }) => {
  const { period } = view;
  const options = intervalsOf(period).map((interval) => [interval, INTERVAL_WORDS[interval]] as const);
  const choose = (interval: Interval): void =>
    look({ interval: interval === suitedInterval(period) ? 'auto' : interval });
  const { table: isOpen } = view;
  const press = (): void => look({ table: !isOpen });
  return html`
    ${options.length > 1 ? choice('Bars of the chart', 'interval', options, timeseries?.interval, choose) : nothing}
    <button type="button" class="plain" aria-expanded=${isOpen} aria-controls="chart-table" @click=${press}>
      ${isOpen ? 'Chart' : 'Table'}
    </button>
  `;
};

const WEEK_MS = 7 * 86_400_000;

/** Only what began on the same weekday is put beside each other: a month and the one before it seldom do. */
function seriesOf({ points, from, previous, interval }: Timeseries, compare: boolean): Series {
  const isAlike = previous && interval !== 'month' && (Date.parse(from) - Date.parse(previous.from)) % WEEK_MS === 0;
  return { points, before: (compare && isAlike && previous.points) || [], interval };
}

function plot(series: Series, index: number, { chartWidth: width, answers, act }: PageState): TemplateResult {
  const { points, interval } = series;
  const { moveTo, showPayments } = act;
  const geometry = chartGeometry(series, width, CHART_HEIGHT);
  const under = (event: PointerEvent): number => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return pointAt(((event.clientX - box.left) / box.width) * width, geometry);
  };
  const follow = (event: PointerEvent): void => moveTo(under(event));
  const showRows = (place: number): void =>
    showPayments({ status: 'settled', filters: paymentsOfPoint(points[place]!) });
  // A finger chooses a bar first, and takes the link above it.
  const press = (event: PointerEvent): void => {
    if (event.pointerType === 'mouse' && event.button === 0) showRows(under(event));
  };
  const move = ({ target }: Event): void => moveTo((target as HTMLInputElement).valueAsNumber);
  return html`<div class="plot" @pointermove=${follow} @pointerdown=${follow} @pointerup=${press}>
    <input
      type="range"
      min="0"
      max=${points.length - 1}
      .value=${String(index)}
      aria-label="${nameText(interval)} of the chart"
      aria-valuetext=${pointWords(points[index]!, answers.timeseries!)}
      @input=${move}
      @keydown=${({ key: pressed }: KeyboardEvent) => pressed === 'Enter' && showRows(index)}
    />
    ${drawing(geometry, points, index, width)}
  </div>`;
}

function drawing(geometry: ChartGeometry, points: readonly Day[], index: number, width: number): TemplateResult {
  const { left, revenue, calls, before, step } = geometry;
  const barsOf = ({ bars }: Strip, kind: string): TemplateResult[] =>
    bars.map((bar, place) => barOf(bar, points[place]!.complete ? kind : `${kind} so-far`));
  return html`<svg viewBox="0 0 ${width} ${CHART_HEIGHT}" aria-hidden="true">
    <defs>${['bar', 'calls-bar'].map(hatching)}</defs>
    <rect class="cursor" x=${left + index * step} y=${revenue.top} width=${step} height=${calls.bottom - revenue.top} />
    ${axes(geometry, width)} ${barsOf(revenue, 'bar')} ${barsOf(calls, 'calls-bar')}
    ${before.map((y, place) => (y === undefined ? nothing : beforeMark(revenue.bars[place]!, y)))}
  </svg>`;
}

function hatching(kind: string): TemplateResult {
  return svg`<pattern id="so-far-${kind}" class=${kind} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <path d="M0 0V5" />
  </pattern>`;
}

function barOf({ x, y, width, height }: Strip['bars'][number], kind: string): TemplateResult {
  return svg`<rect class=${kind} x=${x} y=${y} width=${width} height=${height} rx=${Math.min(2, width / 4)} />`;
}

function beforeMark({ x, width }: Strip['bars'][number], y: number): TemplateResult {
  const mark = `M${x - 1} ${y}h${width + 2}`;
  return svg`<path class="before halo" d=${mark} /><path class="before" d=${mark} />`;
}

function axes({ left, right, revenue, calls, pointTicks }: ChartGeometry, width: number): TemplateResult {
  const scale = ({ ticks }: Strip): TemplateResult[] =>
    ticks.map(
      ({ at, text }) => svg`<path class="grid" d="M${left} ${at}H${right}" />
        <text x=${left - 8} y=${at + 4} text-anchor="end">${text}</text>`,
    );
  return svg`
    <text x=${left - 8} y="12" text-anchor="end">USD</text>
    <text x=${left - 8} y=${calls.top - 12} text-anchor="end">calls</text>
    ${scale(revenue)} ${scale(calls)}
    ${pointTicks.map(({ at, text }) => {
      // With narrow bars the last label would overflow the picture.
      const half = text.length * 3.5;
      const x = Math.min(Math.max(at, half), width - half);
      return svg`<text x=${x} y=${calls.bottom + 18} text-anchor="middle">${text}</text>`;
    })}`;
}

/** All values of one point; also the legend of the bars. */
function readout(series: Series | undefined, index: number, state: PageState): TemplateResult {
  const { timeseries } = state.answers;
  const point = series?.points[index];
  const before = point?.complete ? series?.before[index] : undefined;
  const name = html`<span class="unseen">${nameText(series?.interval ?? 'day')}</span>`;
  return pairs(
    [
      [name, point ? pointText(point, timeseries!.as_of) : SKELETON],
      [html`${REVENUE_KEY}Revenue, USD`, money(point?.gross_revenue)],
      before ? [html`${BEFORE_KEY}${shortDateText(before.date)}`, money(before.gross_revenue)] : nothing,
      [html`${CALLS_KEY}Calls`, count(point && callsOf(point))],
      ['Paid', point ? paidCalls(point, state) : SKELETON],
      ['By credit', count(point?.credit_calls)],
      ['Cost, USD', money(point?.attributed_cost)],
      ['Margin, USD', money(point?.net_margin)],
      ['Payers', count(point?.unique_payers)],
    ],
    'readout',
  );
}

/** An hour leads to the payments of its day: it has no list of its own. */
function paidCalls(point: Day, state: PageState): TemplateResult {
  const { paid_calls: paid, hour, date } = point;
  const ofDay = hour === undefined ? '' : `, to those of ${shortDateText(date)}`;
  return settledLink(paid, paymentsOfPoint(point), state, paymentsInWords(paid) + ofDay);
}

function pointWords(point: Day, { as_of }: Timeseries): string {
  const { gross_revenue, net_margin, paid_calls, credit_calls, unique_payers } = point;
  return (
    `${pointText(point, as_of)}: revenue ${moneyText(gross_revenue)} USD, ` +
    `margin ${moneyText(net_margin)} USD, ${countInWords(paid_calls)} paid calls, ` +
    `${countInWords(credit_calls)} credit calls, ${countInWords(unique_payers)} payers`
  );
}

function chartTable({ points, interval, as_of }: Timeseries, state: PageState): TemplateResult {
  return table<Day>({
    caption: `Revenue and calls per UTC ${interval}, the latest first`,
    columns: [
      named(`${nameText(interval)}, UTC`, (point) => pointText(point, as_of)),
      numbers('Revenue, USD', (point) => money(point.gross_revenue)),
      numbers('Cost, USD', (point) => money(point.attributed_cost)),
      numbers('Margin, USD', (point) => money(point.net_margin)),
      // Nothing that cannot be seen is in the way of the keyboard.
      numbers('Paid calls', (point) => (state.view.table ? paidCalls(point, state) : count(point.paid_calls))),
      numbers('Credit calls', (point) => count(point.credit_calls)),
      numbers('Payers', (point) => count(point.unique_payers)),
    ],
    rows: points.toReversed(),
  });
}

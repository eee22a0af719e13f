import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Day } from './answers';
import { dayAfterKey } from './chart-cursor';
import { chartGeometry, dayAt, type Bar, type ChartGeometry } from './chart-geometry';
import { dayReadout, dayWords } from './chart-readout.view';
import { chartTable } from './chart-table.view';
import type { PageActions, PageState, View } from './page-state';

/** Room that is kept while the numbers are on their way. */
const CHART_HEIGHT = 244;

export const chartView: View = (state, actions) => {
  const days = state.snapshot?.timeseries.points ?? [];
  const before = (state.view.compare && state.snapshot?.timeseries.previous?.points) || [];
  const day = Math.min(state.day ?? Infinity, days.length - 1);
  return html`
    ${dayReadout(days[day], before[day])}
    <div class="chart" ?hidden=${state.showsTable}>
      ${days.length > 0 && state.chartWidth > 0 ? plot(days, before, day, state, actions) : nothing}
    </div>
    <div id="chart-table" class=${state.showsTable ? 'days' : 'unseen'} tabindex=${state.showsTable ? 0 : nothing}>
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
      // The last label would stand out of the picture where the bars are narrow.
      const x = Math.min(Math.max(at, 20), width - 20);
      return svg`<text x=${x} y=${plot.bottom + 18} text-anchor="middle">${text}</text>`;
    })}`;
}

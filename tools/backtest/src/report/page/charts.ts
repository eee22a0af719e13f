import type { Backtest } from '../../figures/backtest';
import type { Measure } from '../../figures/bootstrap';
import type { GroupScores } from '../../figures/figures';
import { percent, whole, type Words } from '../format';

/** All charts have one frame, so that they fit beside each other and keep the size of their letters. */
const FRAME = { width: 360, height: 300, left: 44, right: 350, top: 12, bottom: 252 };
const { left, right, top, bottom } = FRAME;
const x = (share: number) => round(left + share * (right - left));
const y = (share: number) => round(bottom - share * (bottom - top));

/** How often the event came, for each tenth of the forecasts, against what they said. */
export function reliabilityDiagram({ tenths }: GroupScores, { event }: Words): Html {
  const most = Math.max(...tenths.map(({ forecasts }) => forecasts));
  const used = tenths.flatMap(({ meanForecast, observed, forecasts }) =>
    meanForecast === null || observed === null ? [] : [{ meanForecast, observed, forecasts }],
  );
  const said = used.map(({ meanForecast, observed }) => `${percent(meanForecast)}: ${percent(observed.value)}`);
  return chart(
    `Forecast and what came: ${said.join(', ')}`,
    html`${grid()}${axis('forecast')}
      <line class="even" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" />
      ${used.map(({ meanForecast, observed }) => intervalLine('interval', x(meanForecast), observed))}
      <polyline
        class="line"
        points="${used.map((tenth) => `${x(tenth.meanForecast)},${y(tenth.observed.value)}`).join(' ')}"
      />
      ${used.map(
        ({ meanForecast, observed, forecasts }) =>
          html`<circle
            class="dot"
            cx="${x(meanForecast)}"
            cy="${y(observed.value)}"
            r="${round(3 + 5 * Math.sqrt(forecasts / most))}"
          />`,
      )}
      <text class="hint" x="${x(0.03)}" y="${y(0.94)}">${event} came more often than said</text>
      <text class="hint" x="${x(0.97)}" y="${y(0.04)}" text-anchor="end">less often</text>`,
  );
}

/** How many forecasts lie where, by what came. */
export function distributionChart({ distribution: { came, didNot } }: Backtest, { event }: Words): Html {
  const most = Math.max(...came.map((count, at) => count + didNot[at]!));
  const width = (right - left) / came.length;
  const bars = came.map((count, at) => {
    const from = round(left + at * width + 1);
    const ofEvent = y(count / most);
    const ofAll = y((count + didNot[at]!) / most);
    return html`<rect
        class="none"
        x="${from}"
        y="${ofAll}"
        width="${round(width - 2)}"
        height="${round(ofEvent - ofAll)}"
      />
      <rect class="came" x="${from}" y="${ofEvent}" width="${round(width - 2)}" height="${round(bottom - ofEvent)}" />`;
  });
  const half = came.length / 2;
  const below = sum(came.slice(0, half)) + sum(didNot.slice(0, half));
  const told = `${whole(below)} forecasts below 50 %, ${whole(sum(came) + sum(didNot) - below)} from 50 % on; ${event} followed ${whole(sum(came))}`;
  return chart(
    told,
    html`${[0, 0.5, 1].map(
      (share) =>
        html`${stroke('grid', left, y(share), right, y(share))}
          <text x="${left - 6}" y="${y(share) + 4}" text-anchor="end">${shortCount(share * most)}</text>`,
    )}
    ${axis('forecast')}${bars}`,
  );
}

/** Frequency and mean forecast through the time. */
export function periodChart({ byPeriod, from, to }: Backtest): Html {
  const parts = byPeriod.flatMap(({ forecasts, events, scores, meanForecast }, period) => {
    const at = x((period + 0.5) / byPeriod.length);
    return meanForecast === null
      ? []
      : [{ at, observed: events / forecasts, meanForecast, interval: scores?.observed }];
  });
  const told = byPeriod.map(
    ({ name, forecasts, events }) => `${name}: ${forecasts === 0 ? 'none' : percent(events / forecasts)}`,
  );
  return chart(
    `How often it came and the mean forecast: ${told.join(', ')}`,
    html`${grid()} ${parts.map(({ at, interval }) => (interval ? intervalLine('interval came', at, interval) : ''))}
      <polyline class="line came" points="${parts.map(({ at, observed }) => `${at},${y(observed)}`).join(' ')}" />
      ${parts.map(({ at, observed }) => html`<circle class="dot came" cx="${at}" cy="${y(observed)}" r="4.5" />`)}
      <polyline
        class="line said"
        points="${parts.map(({ at, meanForecast }) => `${at},${y(meanForecast)}`).join(' ')}"
      />
      ${parts.map(({ at, meanForecast }) => html`<circle class="dot said" cx="${at}" cy="${y(meanForecast)}" r="3.5" />`)}
      <text x="${left}" y="${bottom + 20}">${from ?? ''}</text>
      <text x="${right}" y="${bottom + 20}" text-anchor="end">${to ?? ''}</text>`,
  );
}

function chart(told: string, content: Html): Html {
  return html`<svg role="img" aria-label="${told}" viewBox="0 0 ${FRAME.width} ${FRAME.height}">${content}</svg>`;
}

function grid(): Html[] {
  return [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`${stroke('grid', left, y(share), right, y(share))}
        <text x="${left - 6}" y="${y(share) + 4}" text-anchor="end">${100 * share} %</text>`,
  );
}

function axis(name: string): Html {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`<text x="${x(share)}" y="${bottom + 20}" text-anchor="${share === 1 ? 'end' : 'middle'}"
        >${100 * share} %</text
      >`,
  );
  return html`${ticks}<text class="name" x="${x(0.5)}" y="${bottom + 40}" text-anchor="middle">${name}</text>`;
}

/** Nothing where there is no interval. */
function intervalLine(kind: string, at: number, { low, high }: Measure): Content {
  return low === null || high === null ? '' : stroke(kind, at, y(low), at, y(high));
}

function stroke(kind: string, x1: number, y1: number, x2: number, y2: number): Html {
  return html`<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" />`;
}

/** `12k` where a whole number would not fit. */
function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  return `${Math.round(count / 100) / 10}k`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

export type Content = Html | string | number | readonly Content[];

/** Everything that is put in is text, unless it was made here itself. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(parts.map((part, i) => (i === 0 ? part : textOf(contents[i - 1]!) + part)).join(''));
}

function textOf(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(textOf).join('');
  return String(content).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

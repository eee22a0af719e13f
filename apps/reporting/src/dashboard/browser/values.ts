import { svg, type TemplateResult, html, nothing } from 'lit-html';
import type { Money, PaymentStatus } from './answers';
import type { PageActions, PageState } from './page-state';
import { hashOf, type PaymentFilters, settingsFor } from './settings';
import {
  ABSENT,
  type Change,
  countText,
  durationText,
  elapsedMs,
  instantText,
  moneyText,
  paymentsInWords,
  type Precision,
} from './text';

const TRANSACTION_PAGES: Record<string, string> = {
  'eip155:8453': 'https://basescan.org/tx/',
  'eip155:84532': 'https://sepolia.basescan.org/tx/',
};

/** In place of a value that is not loaded yet. */
export const SKELETON = html`<span class="skeleton"></span>`;

/** Rounded to cents; exact in its title and when it is copied. */
export function money(amount: Money | undefined): TemplateResult {
  if (amount === undefined) return SKELETON;
  return html`<span class="money" data-exact=${amount.usd_exact} title="${amount.usd_exact} USD"
    >${moneyText(amount)}</span
  >`;
}

export function count(value: number | undefined): unknown {
  return value === undefined ? SKELETON : countText(value);
}

/** Names and values; what is left out is `nothing`. */
export function pairs(values: readonly (readonly [name: unknown, value: unknown] | typeof nothing)[], kind = 'pairs') {
  return html`<dl class=${kind}>
    ${values.map((one) =>
      one === nothing
        ? nothing
        : html`<div>
            <dt>${one[0]}</dt>
            <dd>${one[1]}</dd>
          </div>`,
    )}
  </dl>`;
}

export function changeMark({ direction, text }: Change): TemplateResult {
  return html`<span data-direction=${direction}>${text}</span>`;
}

/** An instant with the time since then beside it; a dash for none. */
export function instant(at: string | null, now: string, precision: Precision = 'minute'): unknown {
  if (at === null) return ABSENT;
  const ago = durationText(elapsedMs(at, now));
  return html`<time datetime=${at} title=${at}>${instantText(at, now, precision)}</time>
    ${precision === 'day' ? nothing : html`<small class="ago">${ago} ago</small>`}`;
}

/** Copied by a press: in full, or short and in full while it has the focus. */
export function copied(text: string, state: PageState, isShort = false): TemplateResult {
  const isCopied = state.copied === text;
  const mark = isCopied ? doneIcon : copyIcon;
  return html`<button type="button" class=${isShort ? 'address' : 'copied'} @click=${() => state.act.copy(text)}>
    <span class="unseen">Copy </span>${
      isShort
        ? html`<span class="short" aria-hidden="true">${shortHex(text)}</span>${mark}
            <span class="full unseen">${isCopied ? 'Copied' : text}</span>`
        : html`${text} ${mark}${isCopied ? html`<span class="unseen">Copied</span>` : nothing}`
    }
  </button>`;
}

export function command(text: string, state: PageState): TemplateResult {
  return html`<p class="command">
    <code>${text}</code>
    <button type="button" class="plain" @click=${() => state.act.copy(text)}>
      ${state.copied === text ? 'Copied' : 'Copy'}
    </button>
  </p>`;
}

/** A transaction in short, linked to a block explorer where one is known for its chain. */
export function transactionLink(network: string, hash: string | null): unknown {
  if (hash === null) return ABSENT;
  const pages = TRANSACTION_PAGES[network];
  if (pages === undefined) return html`<span title=${hash}>${shortHex(hash)}</span>`;
  return html`<a href=${pages + hash} target="_blank" rel="noreferrer" title=${hash}
    ><span class="unseen">Block explorer: </span>${shortHex(hash)}</a
  >`;
}

export function link(content: unknown, href: string, show: () => void, label?: string): TemplateResult {
  const press = (event: Event): void => {
    event.preventDefault();
    show();
  };
  return html`<a href=${href} aria-label=${label ?? nothing} @click=${press}>${content}</a>`;
}

type Wanted = Parameters<PageActions['showPayments']>[0];

export function paymentsLink(content: unknown, wanted: Wanted, { view, act }: PageState, label?: string) {
  return link(content, hashOf(settingsFor(view, wanted)), () => act.showPayments(wanted), label);
}

export function settledLink(paid: number, filters: PaymentFilters, state: PageState, label = paymentsInWords(paid)) {
  return paymentsLink(count(paid), { status: 'settled', filters }, state, label);
}

/** `0x857b…6B36`, of an address as of a hash. */
export function shortHex(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

const icon = (paths: TemplateResult): TemplateResult =>
  svg`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${paths}</svg>`;

export const refreshIcon = icon(svg`<path d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.5v3h-3" />`);
export const themeIcon = icon(
  svg`<circle cx="8" cy="8" r="5.5" /><path class="filled" d="M8 2.5a5.5 5.5 0 0 1 0 11Z" />`,
);
export const leaveIcon = icon(svg`<path d="M6.5 2.5h-4v11h4M10 5l3.5 3-3.5 3M13 8H6" />`);
const copyIcon = icon(svg`<path d="M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3" />`);
const doneIcon = icon(svg`<path d="m3 8.5 3.5 3.5L13 4.5" />`);
export const fileIcon = icon(svg`<path d="M8 2v8m-3.5-3L8 10.5 11.5 7M2.5 13.5h11" />`);

/** One shape for each state, for readers who do not see the colours. */
const MARKS = {
  good: svg`<circle class="filled" cx="8" cy="8" r="5" />`,
  waiting: svg`<circle cx="8" cy="8" r="5" /><path class="filled" d="M8 3a5 5 0 0 1 0 10Z" />`,
  trouble: svg`<path class="filled" d="M8 2 15 14H1Z" />`,
  failed: svg`<path d="m4 4 8 8m0-8-8 8" />`,
  empty: svg`<circle cx="8" cy="8" r="5" />`,
};

export function stateMark(state: keyof typeof MARKS): TemplateResult {
  return icon(MARKS[state]);
}

export const STATUS_WORDS: Record<PaymentStatus, { word: string; mark: keyof typeof MARKS }> = {
  settled: { word: 'Settled', mark: 'good' },
  settlement_pending: { word: 'Waiting', mark: 'waiting' },
  needs_reconciliation: { word: 'Needs a person', mark: 'trouble' },
  settlement_failed: { word: 'Failed', mark: 'failed' },
};

/** Their name decides their colour. */
type Parts = readonly { name: string; word: string; size: number; value: unknown }[];

/** Parts in one bar, and a key with the value of each. */
export function stackedBar(parts: Parts) {
  const total = parts.reduce((sum, { size }) => sum + size, 0) || 1;
  let from = 0;
  const shadeOf = (index: number): number => 1 - (index % 4) * 0.2;
  const rects = parts.map(({ name, size }, index) => {
    const [x, width] = [from, (size / total) * 100];
    from += width;
    return svg`<rect data-part=${name} fill-opacity=${shadeOf(index)} x="${x}%" width="${width}%" height="100%" />`;
  });
  const bar = html`<svg class="stacked-bar" aria-hidden="true">
    <rect class="track" width="100%" height="100%" />
    ${rects}
  </svg>`;
  const keys = parts.map(
    ({ name, word, value }, index) =>
      html`<li>
        <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
          <rect data-part=${name} fill-opacity=${shadeOf(index)} width="10" height="10" rx="2" /></svg
        >${word} <strong>${value}</strong>
      </li>`,
  );
  return { bar, keys };
}

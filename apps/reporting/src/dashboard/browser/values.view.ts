import { html, nothing, type TemplateResult } from 'lit-html';
import type { Money } from './answers';
import { ABSENT, countText, moneyText } from './figures.view';
import { copyIcon, doneIcon } from './icons';
import type { PageActions, PageState } from './page-state';
import { durationText, elapsedMs, instantText, type Precision } from './times-text';

const TRANSACTION_PAGES: Record<string, string> = {
  'eip155:8453': 'https://basescan.org/tx/',
  'eip155:84532': 'https://sepolia.basescan.org/tx/',
};

/** Holds the place of a value that is on its way. */
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

/** An instant with the time since then beside it; a dash for none. */
export function instant(
  at: string | null | undefined,
  now: string | undefined,
  precision: Precision = 'minute',
): unknown {
  if (at === undefined || now === undefined) return SKELETON;
  if (at === null) return ABSENT;
  const ago = durationText(elapsedMs(at, now));
  return html`<time datetime=${at} title=${at}>${instantText(at, now, precision)}</time>
    <small class="ago">${ago} ago</small>`;
}

/** A cell that carries the head of its column, for where a row is shown as a block of its own. */
export function cell(label: string, content: unknown, kind = ''): TemplateResult {
  return html`<td role="cell" class=${kind || nothing} data-label=${label}>${content}</td>`;
}

/** Short, in full while it has the focus, copied by a press. */
export function address(hex: string, { copied }: PageState, { copy }: PageActions): TemplateResult {
  const full = copied === hex ? 'Copied' : hex;
  return html`<button type="button" class="address" @click=${() => copy(hex)}>
    <span class="unseen">Copy </span><span class="short" aria-hidden="true">${shortHex(hex)}</span>${
      copied === hex ? doneIcon : copyIcon
    }<span class="full">${full}</span>
  </button>`;
}

/** `0x857b…6B36`, of an address as of a hash. */
export function shortHex(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/** Where people look at a transaction; nothing for a chain that we know no explorer of. */
export function transactionPage(network: string, hash: string): string | undefined {
  const page = TRANSACTION_PAGES[network];
  return page && `${page}${hash}`;
}

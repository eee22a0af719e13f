import { html, nothing, type TemplateResult } from 'lit-html';
import type { PageState, Panel } from './page-state';
import { monthAfter } from './period';
import { type FileName, hashOf } from './settings';
import { countInWords, countText, monthText, periodText } from './text';
import { fileIcon, shortHex, STATUS_WORDS } from './values';

const MEGABYTE = 1_000_000;

interface File {
  word: unknown;
  /** The same in full: which rows of which days. */
  title: string;
  /** About so many rows, where it is known. */
  rows?: number | undefined;
}

/** The rows of the period as files: revenue, margin and liability can be made of the two alone. */
export const filesPanel: Panel = (state) => {
  const { view, answers, sections, freshness } = state;
  const { window } = (sections.summary.isCurrent && answers.summary) || {};
  if (!window || !freshness) return nothing;
  const days = periodText(window) + (view.basis === 'settlement' ? ', by settlement' : '');
  const which = view.status === 'all' ? 'All' : STATUS_WORDS[view.status].word;
  const { wallet } = view.filters;
  const isAll = wallet === undefined && (view.status === 'all' || view.status === 'settled');
  const rows = isAll ? window.paid_calls : undefined;
  const title = `${which} payments${wallet === undefined ? '' : ` of ${shortHex(wallet)}`}, ${days}`;
  const word = rows === undefined ? title : html`${title} <small>about ${countText(rows)} rows</small>`;
  // Of the month that is shown, or of the last one.
  const month = 'month' in view.period ? view.period.month : monthAfter(freshness.asOf, -1);
  return html`
    ${fileSaving('payments', { word, title, rows }, state)}
    <a class="plain" aria-label="Statement, ${monthText(month)}" href=${hashOf({ ...view, statement: month })}
      >Statement</a
    >
    ${fileSaving('credits', { word: 'Call credits', title: `Call credits, ${periodText(window)}` }, state)}
  `;
};

export function fileSaving(
  name: FileName,
  { word, title, rows }: File,
  { files: { [name]: progress }, act }: PageState,
): TemplateResult {
  const size = progress && sizeText(progress.rows, progress.bytes);
  if (progress?.state === 'running') {
    // The rows of other states are not counted: it is full when all of them are there.
    const share = rows ? Math.min(progress.rows / rows, 0.99) : nothing;
    return html`<span class="saving">
      <progress aria-label="${title}" max="1" value=${share}></progress>
      <span>${size}</span>
      <button type="button" class="plain" @click=${() => act.stopFile(name)}>
        Stop<span class="unseen"> ${title}</span>
      </button>
    </span>`;
  }
  const outcomes = {
    saved: `Saved ${size}`,
    stopped: 'Stopped, nothing was saved',
    failed: `Not saved: ${progress?.refusal?.message}.`,
  };
  const said = rows === undefined ? title : `${title}, about ${countInWords(rows)} rows`;
  const kind = progress?.state === 'failed' ? 'problem' : 'muted';
  return html`<button type="button" class="plain" aria-label="CSV: ${said}" @click=${() => act.saveFile(name)}>
      ${fileIcon}<span>${word}</span>
    </button>
    ${progress ? html`<span class=${kind}>${outcomes[progress.state]}</span>` : nothing}`;
}

function sizeText(rows: number, bytes: number): string {
  return `${countText(rows)} ${rows === 1 ? 'row' : 'rows'}, ${(bytes / MEGABYTE).toFixed(1)} MB`;
}

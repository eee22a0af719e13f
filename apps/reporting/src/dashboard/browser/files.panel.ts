import { html, nothing, type TemplateResult } from 'lit-html';
import { countInWords, countText } from './numbers-text';
import type { FileProgress } from './file-saving';
import type { PageActions, PageState, Panel } from './page-state';
import { type FileName, hashOf } from './page-settings';
import { monthsUntil } from './period';
import { STATUS_WORDS } from './payment-words';
import { fileIcon, shortHex } from './values';
import { monthText, periodText } from './times-text';
import { refusalText } from './refusals';

const MEGABYTE = 1_000_000;

/** The file that a button saves. */
interface File {
  word: unknown;
  /** The same in full: which rows of which days. */
  title: string;
  /** About so many rows, where it is known. */
  rows?: number | undefined;
}

/** The rows of the period as files: revenue, margin and liability can be made of the two alone. */
export const filesPanel: Panel = (state, actions) => {
  const { view, answers, sections } = state;
  const { window } = (sections.summary.isCurrent && answers.summary) || {};
  if (!window) return nothing;
  const days = periodText(window) + (view.basis === 'settlement' ? ', by settlement' : '');
  const which = view.status === 'all' ? 'All' : STATUS_WORDS[view.status].word;
  const { wallet } = view.filters;
  const isAll = wallet === undefined && (view.status === 'all' || view.status === 'settled');
  const rows = isAll ? window.paid_calls : undefined;
  const title = `${which} payments${wallet === undefined ? '' : ` of ${shortHex(wallet)}`}, ${days}`;
  const word = rows === undefined ? title : html`${title} <small>about ${countText(rows)} rows</small>`;
  return html`
    ${fileSaving('payments', { word, title, rows }, state, actions)} ${statementLink(state)}
    ${fileSaving('credits', { word: 'Call credits', title: `Call credits, ${periodText(window)}` }, state, actions)}
  `;
};

/** Of the month that is shown, or of the last one. */
function statementLink({ view, freshness }: PageState): unknown {
  if (!freshness) return nothing;
  const month = 'month' in view.period ? view.period.month : monthsUntil(freshness.asOf).last;
  const title = `Statement, ${monthText(month)}`;
  return html`<a class="plain" aria-label=${title} href=${hashOf({ ...view, statement: month })}>Statement</a>`;
}

/** A button, and while it is pressed how far the file is. */
export function fileSaving(
  name: FileName,
  { word, title, rows }: File,
  { files }: PageState,
  { saveFile, stopFile }: PageActions,
): TemplateResult {
  const progress = files[name];
  if (progress?.state === 'running') {
    // The rows of other states are not counted: it is full when all of them are there.
    const share = rows ? Math.min(progress.rows / rows, 0.99) : nothing;
    return html`<span class="saving">
      <progress aria-label="${title}" max="1" value=${share}></progress>
      <span>${sizeText(progress)}</span>
      <button type="button" class="plain" @click=${() => stopFile(name)}>
        Stop<span class="unseen"> ${title}</span>
      </button>
    </span>`;
  }
  const said = rows === undefined ? title : `${title}, about ${countInWords(rows)} rows`;
  return html`<button type="button" class="plain" aria-label="CSV: ${said}" @click=${() => saveFile(name)}>
      ${fileIcon}<span>${word}</span>
    </button>
    ${progress ? outcome(progress) : nothing}`;
}

function outcome(progress: FileProgress): TemplateResult {
  if (progress.state === 'saved') return html`<span class="muted">Saved ${sizeText(progress)}</span>`;
  if (progress.state === 'stopped') return html`<span class="muted">Stopped, nothing was saved</span>`;
  return html`<span class="problem">Not saved: ${progress.refusal ? refusalText(progress.refusal) : 'stopped'}.</span>`;
}

function sizeText({ rows, bytes }: FileProgress): string {
  return `${countText(rows)} ${rows === 1 ? 'row' : 'rows'}, ${(bytes / MEGABYTE).toFixed(1)} MB`;
}

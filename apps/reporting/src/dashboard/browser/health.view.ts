import { html, nothing, type TemplateResult } from 'lit-html';
import { healthOf, type Health } from './health';
import { stateMark } from './icons';
import type { PageActions, PageState, View } from './page-state';
import { clockText } from './times-text';
import { hashOf } from './view-settings';
import { SKELETON } from './values.view';

/** The level goes to the strip itself, for its colour. */
export function healthLevel({ snapshot }: PageState): Health['level'] | 'loading' {
  return snapshot ? healthOf(snapshot.summary, snapshot.oldestWaitingMs).level : 'loading';
}

export const healthView: View = ({ snapshot, stale, view }, actions) => {
  if (!snapshot) return html`<p role="status"><span class="unseen">Loading the numbers.</span>${SKELETON}</p>`;
  const { level, sentence, rows } = healthOf(snapshot.summary, snapshot.oldestWaitingMs);
  const old = stale ? ` Not refreshed since ${clockText(snapshot.summary.as_of)} UTC.` : '';
  return html`${stateMark(level)}
    <p role="status">${sentence}${old}</p>
    ${rows ? rowsLink(rows, hashOf({ ...view, status: rows }), actions) : nothing}`;
};

function rowsLink(rows: NonNullable<Health['rows']>, href: string, { showPayments }: PageActions): TemplateResult {
  const show = (event: Event): void => {
    event.preventDefault();
    showPayments(rows);
  };
  return html`<a href=${href} @click=${show}>Show these payments</a>`;
}

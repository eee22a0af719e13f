import { html, nothing } from 'lit-html';
import type { View } from './page-state';
import { refusalText } from './refusal';
import { durationText } from './times-text';

/** The numbers are old: why, how old, and when they will be tried again. */
export const noticeView: View = ({ stale, loading, snapshot }, { refresh }) => {
  if (stale === undefined) return nothing;
  const next = loading ? 'Trying now.' : `Next try in ${durationText(Math.max(1_000, stale.nextTryMs))}.`;
  return html`<div class="notice">
    <p>
      ${snapshot ? 'Not refreshed' : 'Not loaded'}: ${refusalText(stale.refusal)}.
      ${snapshot ? html`These numbers are <strong>${durationText(stale.ageMs)} old</strong>.` : nothing}
      <span class="next">${next}</span>
    </p>
    <button type="button" class="plain" @click=${() => refresh()}>Try now</button>
  </div>`;
};

import { html, nothing, type TemplateResult } from 'lit-html';
import { refusalText } from './admin-api';
import { leaveIcon, refreshIcon, themeIcon } from './values';
import { hashOf, type PageActions, type PageState, PERIODS, THEMES, type Panel, type PageSettings } from './page-state';
import { durationText, freshnessText } from './times-text';

export const footerPanel: Panel = ({ snapshot, signedIn }) => {
  if (!signedIn || !snapshot) return nothing;
  const { version, per_call_usd_exact, per_settlement_usd_exact } = snapshot.summary.cost_model;
  const callCost = per_call_usd_exact === null ? 'a cost by endpoint' : `${per_call_usd_exact} USD a call`;
  return html`<p>
    Margin is revenue less attributed cost: ${callCost} and ${per_settlement_usd_exact} USD a settlement (cost model
    ${version}). A day begins at 00:00 UTC. What waits, failed or needs a person is not revenue. Subscriptions are
    counted apart and never added to it.
  </p>`;
};

/** The numbers are old: why, how old, and when they will be tried again. */
export const noticePanel: Panel = ({ stale, loading, snapshot }, { refresh }) => {
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

export const barPanel: Panel = (state, actions) => {
  if (!state.signedIn) return themeButton(state.view, actions);
  const { view, loading } = state;
  return html`
    <nav class="periods" aria-label="Period">
      <ul>
        ${PERIODS.map((days) => period(days, view))}
      </ul>
    </nav>
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        .checked=${view.compare}
        @change=${(event: Event) => actions.look({ compare: (event.target as HTMLInputElement).checked })}
      />
      <span>Compare</span>
    </label>
    <p class="freshness">${freshness(state)}</p>
    <div class="buttons">
      <button type="button" class="plain" aria-busy=${loading} @click=${() => actions.refresh()}>
        ${refreshIcon}<span class="word">Refresh</span>
      </button>
      ${themeButton(view, actions)}
      <button type="button" class="plain" @click=${() => actions.signOut()}>
        ${leaveIcon}<span class="word">Sign out</span>
      </button>
    </div>
  `;
};

function period(days: (typeof PERIODS)[number], view: PageSettings): TemplateResult {
  const name =
    days === 1 ? 'Today' : html`${days}<span class=${days === PERIODS.at(-1) ? nothing : 'unseen'}> days</span>`;
  return html`<li>
    <a href=${hashOf({ ...view, days })} aria-current=${view.days === days ? 'true' : nothing}>${name}</a>
  </li>`;
}

function freshness({ snapshot, stale }: PageState): unknown {
  if (!snapshot) return nothing;
  const { as_of, lag_seconds } = snapshot.summary;
  return html`<span data-stale=${stale !== undefined}>${freshnessText(as_of, lag_seconds, stale?.ageMs)}</span>`;
}

function themeButton({ theme }: PageSettings, { look }: PageActions): TemplateResult {
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return html`<button
    type="button"
    class="plain"
    aria-label="Theme: ${theme}, change to ${next}"
    @click=${() => look({ theme: next })}
  >
    ${themeIcon}<span class="word">${theme[0]!.toUpperCase() + theme.slice(1)}</span>
  </button>`;
}

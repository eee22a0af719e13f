import { html, nothing, type TemplateResult } from 'lit-html';
import { refusalText } from './admin-api';
import { leaveIcon, refreshIcon, themeIcon } from './values';
import { hashOf, type PageActions, type PageState, THEMES, type Panel, type PageSettings } from './page-state';
import { isSamePeriod, PRESET_DAYS } from './period';
import type { SectionName } from './sections';
import { durationText, freshnessText } from './times-text';

export const footerPanel: Panel = ({ answers: { summary }, signedIn }) => {
  if (!signedIn || !summary) return nothing;
  const { version, per_call_usd_exact, per_settlement_usd_exact } = summary.cost_model;
  const callCost = per_call_usd_exact === null ? 'a cost by endpoint' : `${per_call_usd_exact} USD a call`;
  return html`<p>
    Margin is revenue less attributed cost: ${callCost} and ${per_settlement_usd_exact} USD a settlement (cost model
    ${version}). A day begins at 00:00 UTC. What waits, failed or needs a person is not revenue. Subscriptions are
    counted apart and never added to it.
  </p>`;
};

/** Nothing is answered: why, how old the numbers are, and when they will be tried again. */
export const noticePanel: Panel = ({ stale, loading }, actions) => stale && notice(stale, loading, actions);

/** The same of one section, in its place; not while nothing is answered at all. */
export function sectionNotice(name: SectionName): Panel {
  return ({ stale, sections }, actions) => {
    const section = sections[name];
    return stale ? nothing : section.stale && notice(section.stale, section.loading, actions);
  };
}

function notice(
  { refusal, ageMs, nextTryMs }: NonNullable<PageState['stale']>,
  loading: boolean,
  { refresh }: PageActions,
): TemplateResult {
  const next = loading ? 'Trying now.' : `Next try in ${durationText(Math.max(1_000, nextTryMs))}.`;
  return html`<div class="notice">
    <p>
      ${ageMs === undefined ? 'Not loaded' : 'Not refreshed'}: ${refusalText(refusal)}.
      ${ageMs === undefined ? nothing : html`These numbers are <strong>${durationText(ageMs)} old</strong>.`}
      <span class="next">${next}</span>
    </p>
    <button type="button" class="plain" @click=${() => refresh()}>Try now</button>
  </div>`;
}

export const barPanel: Panel = (state, actions) => {
  if (!state.signedIn) return themeButton(state.view, actions);
  const { view, loading } = state;
  return html`
    <nav class="periods" aria-label="Period">
      <ul>
        ${PRESET_DAYS.map((days) => period(days, view))}
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

function period(days: (typeof PRESET_DAYS)[number], view: PageSettings): TemplateResult {
  const name =
    days === 1 ? 'Today' : html`${days}<span class=${days === PRESET_DAYS.at(-1) ? nothing : 'unseen'}> days</span>`;
  const isChosen = isSamePeriod(view.period, { days });
  return html`<li>
    <a href=${hashOf({ ...view, period: { days } })} aria-current=${isChosen ? 'true' : nothing}>${name}</a>
  </li>`;
}

function freshness({ freshness: now, stale }: PageState): unknown {
  if (!now) return nothing;
  return html`<span data-stale=${stale !== undefined}>${freshnessText(now.asOf, now.lagSeconds, stale?.ageMs)}</span>`;
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

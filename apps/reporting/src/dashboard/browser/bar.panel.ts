import { html, nothing, type TemplateResult } from 'lit-html';
import { leaveIcon, refreshIcon, themeIcon } from './values';
import type { Basis, Period } from './answers';
import { type PageActions, type PageState, type Panel } from './page-state';
import { dayBefore, isRange, isSamePeriod, monthsUntil, PRESET_DAYS } from './period';
import type { SectionName } from './sections';
import { durationText, freshnessText, periodText } from './times-text';
import { refusalText } from './refusals';
import { BASES, hashOf, THEMES, type PageSettings } from './page-settings';

/** Of the text of an instant. */
const DATE_LENGTH = 10;

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

/** Which days are shown, on which of them a payment counts, and whether they are compared. */
export const periodPanel: Panel = (state, actions) => {
  if (!state.signedIn) return nothing;
  const { view } = state;
  return html`
    <nav class="periods" aria-label="Period">
      <ul>
        ${periodLink('Today', { days: 1 }, view)} ${yesterdayLink(state)}
        ${PRESET_DAYS.map((days) => periodLink(daysName(days), { days }, view))} ${monthLinks(state)}
      </ul>
    </nav>
    ${rangePicker(state, actions)}
    <fieldset class="filter basis">
      <legend class="unseen">A payment counts on the day</legend>
      ${BASES.map((basis) => basisChoice(basis, view, actions))}
    </fieldset>
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        .checked=${view.compare}
        @change=${(event: Event) => actions.look({ compare: (event.target as HTMLInputElement).checked })}
      />
      <span>Compare</span>
    </label>
  `;
};

function daysName(days: (typeof PRESET_DAYS)[number]): unknown {
  return html`${days}<span class=${days === PRESET_DAYS.at(-1) ? 'unit' : 'unseen'}> days</span>`;
}

function periodLink(name: unknown, period: Period, view: PageSettings): TemplateResult {
  const isChosen = isSamePeriod(view.period, period);
  return html`<li>
    <a href=${hashOf({ ...view, period, statement: '' })} aria-current=${isChosen ? 'true' : nothing}>${name}</a>
  </li>`;
}

function yesterdayLink({ freshness: now, view }: PageState): unknown {
  if (!now) return nothing;
  const yesterday = dayBefore(now.asOf);
  return periodLink('Yesterday', { from: yesterday, to: yesterday }, view);
}

/** Which months they are is known once an answer says which day it is. */
function monthLinks({ freshness: now, view }: PageState): unknown {
  if (!now) return nothing;
  const { present, last } = monthsUntil(now.asOf);
  return [periodLink('This month', { month: present }, view), periodLink('Last month', { month: last }, view)];
}

/** Any days: what is chosen by no preset is shown on its button. */
function rangePicker(state: PageState, { look }: PageActions): TemplateResult {
  const { view, freshness: now, answers } = state;
  const { from, to } = answers.summary?.window ?? { from: '', to: '' };
  const today = now?.asOf.slice(0, DATE_LENGTH) ?? nothing;
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const [first, last] = [given.get('from') as string, given.get('to') as string];
    if (!isRange(first, last)) return;
    (event.target as HTMLFormElement).closest('details')!.open = false;
    look({ period: { from: first, to: last }, statement: '' });
  };
  return html`<details class="range" @keydown=${closeWithEscape} @focusout=${closeWithoutFocus}>
    <summary
      class="plain"
      aria-label=${'from' in view.period ? nothing : 'Any range of days'}
      data-chosen=${'from' in view.period}
    >
      ${'from' in view.period ? periodText(view.period) : 'Range'}
    </summary>
    <form class="panel" @submit=${show}>
      <label>From <input type="date" name="from" required max=${today} .value=${from} /></label>
      <label>To <input type="date" name="to" required max=${today} .value=${to} /></label>
      <button type="submit" class="plain">Show these days</button>
      <p class="muted">UTC, both included, at most three years.</p>
    </form>
  </details>`;
}

function closeWithEscape(event: KeyboardEvent): void {
  const details = event.currentTarget as HTMLDetailsElement;
  if (event.key !== 'Escape' || !details.open) return;
  details.open = false;
  details.querySelector('summary')!.focus();
}

function closeWithoutFocus({ currentTarget, relatedTarget }: FocusEvent): void {
  const details = currentTarget as HTMLDetailsElement;
  if (relatedTarget instanceof Node && !details.contains(relatedTarget)) details.open = false;
}

function basisChoice(basis: Basis, view: PageSettings, { look }: PageActions): TemplateResult {
  return html`<label>
    <input type="radio" name="basis" .checked=${view.basis === basis} @change=${() => look({ basis })} />
    <span><span class="by">By </span>${basis}</span>
  </label>`;
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

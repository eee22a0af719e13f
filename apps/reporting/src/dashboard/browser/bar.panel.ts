import { html, nothing, type TemplateResult } from 'lit-html';
import type { Period } from './answers';
import { choice } from './frame';
import type { PageState, Panel } from './page-state';
import { dayBefore, isRange, isSamePeriod, monthAfter, PRESET_DAYS } from './period';
import { BASES, hashOf, THEMES, type PageSettings } from './settings';
import { freshnessText, periodText } from './text';
import { leaveIcon, refreshIcon, themeIcon } from './values';

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

export const barPanel: Panel = (state) => {
  const { loading, signedIn, freshness: now, stale } = state;
  const theme = themeButton(state);
  if (!signedIn) return theme;
  const fresh =
    now &&
    html`<span data-stale=${stale !== undefined}>${freshnessText(now.asOf, now.lagSeconds, stale?.ageMs)}</span>`;
  return html`
    <p class="freshness">${fresh}</p>
    <div class="buttons">
      <button type="button" class="plain" aria-busy=${loading} @click=${state.act.refresh}>
        ${refreshIcon}<span class="word">Refresh</span>
      </button>
      ${theme}
      <button type="button" class="plain" @click=${state.act.signOut}>
        ${leaveIcon}<span class="word">Sign out</span>
      </button>
    </div>
  `;
};

function themeButton({ view: { theme }, act }: PageState): TemplateResult {
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  const label = `Theme: ${theme}, change to ${next}`;
  return html`<button type="button" class="plain" aria-label=${label} @click=${() => act.look({ theme: next })}>
    ${themeIcon}<span class="word">${theme[0]!.toUpperCase() + theme.slice(1)}</span>
  </button>`;
}

export const periodPanel: Panel = (state) => {
  if (!state.signedIn) return nothing;
  const { view } = state;
  const { look } = state.act;
  const bases = BASES.map((basis) => [basis, html`<span class="by">By </span>${basis}`] as const);
  const compare = ({ target }: Event): void => look({ compare: (target as HTMLInputElement).checked });
  return html`
    <nav class="periods" aria-label="Period">
      <ul>
        ${periodsOf(state).map(([name, period]) => periodLink(name, period, view))}
      </ul>
    </nav>
    ${rangePicker(state)}
    ${choice('A payment counts on the day', 'basis', bases, view.basis, (basis) => look({ basis }))}
    <label class="switch">
      <input type="checkbox" role="switch" .checked=${view.compare} @change=${compare} />
      <span>Compare</span>
    </label>
  `;
};

/** Which day and months they are is known once an answer says which day it is. */
function periodsOf({ freshness: now }: PageState): [name: unknown, period: Period][] {
  const presets = PRESET_DAYS.map((days): [unknown, Period] => [
    html`${days}<span class=${days === PRESET_DAYS.at(-1) ? 'unit' : 'unseen'}> days</span>`,
    { days },
  ]);
  if (!now) return [['Today', { days: 1 }], ...presets];
  const yesterday = dayBefore(now.asOf);
  return [
    ['Today', { days: 1 }],
    ['Yesterday', { from: yesterday, to: yesterday }],
    ...presets,
    ['This month', { month: now.asOf.slice(0, 7) }],
    ['Last month', { month: monthAfter(now.asOf, -1) }],
  ];
}

function periodLink(name: unknown, period: Period, view: PageSettings): TemplateResult {
  const isChosen = isSamePeriod(view.period, period);
  return html`<li>
    <a href=${hashOf({ ...view, period, statement: '' })} aria-current=${isChosen ? 'true' : nothing}>${name}</a>
  </li>`;
}

const NO_RANGE = 'From 2000 on, not before the first day, and at most 1,100 days after it.';

/** Any days: what is chosen by no preset is shown on its button. */
function rangePicker({ view, freshness: now, answers, act }: PageState): TemplateResult {
  const { from, to } = answers.summary?.window ?? { from: '', to: '' };
  const today = now?.asOf.slice(0, 'yyyy-mm-dd'.length) ?? nothing;
  const chosen = 'from' in view.period ? periodText(view.period) : undefined;
  const daysIn = (form: HTMLFormElement) => {
    const given = new FormData(form);
    return { from: given.get('from') as string, to: given.get('to') as string };
  };
  // Before the browser checks what is given: it says what is wrong beside the field.
  const explain = ({ currentTarget }: Event): void => {
    const { form } = currentTarget as HTMLButtonElement;
    const given = daysIn(form!);
    const isWrong = given.from !== '' && given.to !== '' && !isRange(given.from, given.to);
    (form!.elements.namedItem('to') as HTMLInputElement).setCustomValidity(isWrong ? NO_RANGE : '');
  };
  const show = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    form.hidePopover();
    act.look({ period: daysIn(form), statement: '' });
  };
  return html`<button
      type="button"
      class="plain range"
      popovertarget="range"
      aria-label=${chosen ? nothing : 'Any range of days'}
      data-chosen=${chosen !== undefined}
    >
      ${chosen ?? 'Range'}
    </button>
    <form id="range" class="panel" popover @submit=${show}>
      <label>From <input type="date" name="from" required max=${today} .value=${from} /></label>
      <label>To <input type="date" name="to" required max=${today} .value=${to} /></label>
      <button type="submit" class="plain" @click=${explain}>Show these days</button>
      <p class="muted">UTC, both included, at most three years.</p>
    </form>`;
}

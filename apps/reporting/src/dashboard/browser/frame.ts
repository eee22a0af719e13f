import { html, nothing, type TemplateResult } from 'lit-html';
import type { PageState, Panel } from './page-state';
import type { Stale } from './reads';
import { MOST_ROWS } from './lists';
import type { ListName, SectionName } from './sections';
import { durationText } from './text';

/** A section of the page: its head, why it is not fresh, and what it shows. */
export interface Frame {
  name: SectionName;
  id: string;
  title: string | Panel;
  kind?: string;
  /** Nothing is around it, and its title is for screen readers alone. */
  isBare?: boolean;
  isHidden?: (state: PageState) => boolean;
  tools?: Panel;
  content: Panel;
}

export function frame(one: Frame, state: PageState): TemplateResult {
  const { name, id, title, kind, isBare, isHidden, tools, content } = one;
  const { isCurrent } = state.sections[name];
  return html`<section
    class=${isBare ? nothing : 'panel'}
    aria-labelledby="${id}-title"
    data-section=${name}
    aria-busy=${!isCurrent}
    ?hidden=${isHidden?.(state) ?? false}
  >
    <div class=${isBare ? 'unseen' : 'head'}>
      <h2 id="${id}-title" tabindex="-1">${typeof title === 'string' ? title : shown(title, state)}</h2>
      ${tools ? html`<div id="${id}-tools" class="tools">${shown(tools, state)}</div>` : nothing}
    </div>
    <div id="${id}-notice">${sectionNotice(name, state)}</div>
    <div id=${id} class=${kind ?? nothing}>${shown(content, state)}</div>
  </section>`;
}

/** An answer with other members than ours must not keep the panels beside it from being shown. */
export function shown(panel: Panel, state: PageState): unknown {
  try {
    return panel(state);
  } catch {
    return html`<p class="problem">Not shown: the answer is not one of this service.</p>`;
  }
}

/** Nothing is answered: why, how old the numbers are, and when they will be tried again. */
export const noticePanel: Panel = (state) => (state.stale ? notice(state.stale, state.loading, state) : nothing);

/** The same of one section; not while nothing is answered at all. */
function sectionNotice(name: SectionName, state: PageState): unknown {
  const { stale, loading } = state.sections[name];
  return stale && !state.stale ? notice(stale, loading, state) : nothing;
}

function notice({ refusal, ageMs, nextTryMs }: Stale, loading: boolean, { act }: PageState): TemplateResult {
  const next = loading ? 'Trying now.' : `Next try in ${durationText(Math.max(1_000, nextTryMs))}.`;
  return html`<div class="notice">
    <p>
      ${ageMs === undefined ? 'Not loaded' : 'Not refreshed'}: ${refusal.message}.
      ${ageMs === undefined ? nothing : html`These numbers are <strong>${durationText(ageMs)} old</strong>.`}
      <span class="next">${next}</span>
    </p>
    <button type="button" class="plain" @click=${act.refresh}>Try now</button>
  </div>`;
}

export function choice<Value extends string>(
  legend: string,
  name: string,
  options: readonly (readonly [value: Value, text: unknown])[],
  chosen: Value | undefined,
  choose: (value: Value) => void,
): TemplateResult {
  return html`<fieldset class="filter ${name}">
    <legend class="unseen">${legend}</legend>
    ${options.map(
      ([value, text]) =>
        html`<label>
          <input type="radio" name=${name} .checked=${chosen === value} @change=${() => choose(value)} />
          <span>${text}</span>
        </label>`,
    )}
  </fieldset>`;
}

/** @param end said in the place of the button below a list that has as many rows as it may have */
export function more(
  name: ListName,
  word: string,
  end: string,
  { answers, more: { [name]: progress }, act }: PageState,
) {
  const isLoading = progress === 'loading';
  const answer: Partial<Record<ListName, readonly unknown[]>> = answers[name] ?? {};
  const press = html`<button type="button" class="plain" ?disabled=${isLoading} @click=${() => act.loadMore(name)}>
    ${isLoading ? 'Loading …' : word}
  </button>`;
  const next = (answer[name]?.length ?? 0) < MOST_ROWS ? press : html`<p class="muted">${end}</p>`;
  return html`<div id="${name}-more" class="more">
    ${progress && !isLoading ? html`<p class="problem">Not loaded: ${progress.message}.</p>` : nothing}
    ${answers[name]?.next_cursor ? next : nothing}
  </div>`;
}

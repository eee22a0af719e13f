import { html, nothing } from 'lit-html';
import type { PageActions, PageState } from './page-state';
import { refusalText } from './refusals';
import type { ListName } from './sections';

/** @param end said below a list that has as many rows as it may have */
export function more(name: ListName, word: string, end: string | undefined, state: PageState, actions: PageActions) {
  const progress = state.more[name];
  const isLoading = progress === 'loading';
  const hasMore = !end && state.answers[name]?.next_cursor;
  return html`<div id="${name}-more" class="more">
    ${progress && !isLoading ? html`<p class="problem">Not loaded: ${refusalText(progress)}.</p>` : nothing}
    ${
      hasMore
        ? html`<button type="button" class="plain" ?disabled=${isLoading} @click=${() => actions.loadMore(name)}>
            ${isLoading ? 'Loading …' : word}
          </button>`
        : nothing
    }
    ${end && state.answers[name]?.next_cursor ? html`<p class="muted">${end}</p>` : nothing}
  </div>`;
}

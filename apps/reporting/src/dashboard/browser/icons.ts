import { svg, type TemplateResult } from 'lit-html';

const icon = (paths: TemplateResult): TemplateResult =>
  svg`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${paths}</svg>`;

export const refreshIcon = icon(svg`<path d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.5v3h-3" />`);
export const themeIcon = icon(
  svg`<circle cx="8" cy="8" r="5.5" /><path class="filled" d="M8 2.5a5.5 5.5 0 0 1 0 11Z" />`,
);
export const leaveIcon = icon(svg`<path d="M6.5 2.5h-4v11h4M10 5l3.5 3-3.5 3M13 8H6" />`);
export const copyIcon = icon(svg`<path d="M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3" />`);
export const doneIcon = icon(svg`<path d="m3 8.5 3.5 3.5L13 4.5" />`);
export const fileIcon = icon(svg`<path d="M8 2v8m-3.5-3L8 10.5 11.5 7M2.5 13.5h11" />`);

/** One shape for each state: who sees no colours sees these. */
const MARKS = {
  good: svg`<circle class="filled" cx="8" cy="8" r="5" />`,
  waiting: svg`<circle cx="8" cy="8" r="5" /><path class="filled" d="M8 3a5 5 0 0 1 0 10Z" />`,
  trouble: svg`<path class="filled" d="M8 2 15 14H1Z" />`,
  failed: svg`<path d="m4 4 8 8m0-8-8 8" />`,
  empty: svg`<circle cx="8" cy="8" r="5" />`,
};

export function stateMark(state: keyof typeof MARKS): TemplateResult {
  return icon(MARKS[state]);
}

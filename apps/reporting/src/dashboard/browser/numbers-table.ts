import { html, nothing, type TemplateResult } from 'lit-html';

interface NumbersTable {
  caption: unknown;
  /** Whether it is on the screen too, not for screen readers alone. */
  isCaptionSeen?: boolean;
  /** Heads of the columns; that of the names first. */
  heads: readonly string[];
  rows: unknown;
}

/** A name in each row, and numbers after it. */
export function numbersTable({ caption, isCaptionSeen, heads, rows }: NumbersTable): TemplateResult {
  return html`<table>
    <caption class=${isCaptionSeen ? nothing : 'unseen'}>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${heads.map((head, index) => html`<th scope="col" class=${index === 0 ? nothing : 'number'}>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

export function numbersRow(name: unknown, ...numbers: readonly unknown[]): TemplateResult {
  return html`<tr>
    <th scope="row">${name}</th>
    ${numbers.map((number) => html`<td class="number">${number}</td>`)}
  </tr>`;
}

import { html, type TemplateResult } from 'lit-html';
import { fileSaving } from './files.panel';
import { numbersRow, numbersTable } from './numbers-table';
import { hashOf } from './page-settings';
import type { Panel } from './page-state';
import { monthText } from './times-text';
import { SKELETON } from './values';

export const statementTitlePanel: Panel = ({ view: { statement: month }, freshness }) =>
  month && `Statement, ${monthText(month)}${freshness?.asOf.startsWith(month) ? ', so far' : ''}`;

export const statementToolsPanel: Panel = (state, actions) => {
  const { view } = state;
  if (view.statement === '') return '';
  const title = `Statement, ${monthText(view.statement)}`;
  return html`
    ${fileSaving('statement', { word: 'CSV', title }, state, actions)}
    <button type="button" class="plain" @click=${() => print()}>Print</button>
    <a class="plain" href=${hashOf({ ...view, statement: '' })}>Back to the numbers</a>
  `;
};

/** The lines of its file, to the micro-dollar, so that they add up on paper too. */
export const statementPanel: Panel = ({ answers, sections: { statement } }) => {
  if (!statement.isCurrent) return SKELETON;
  const tables = new Map<string, TemplateResult[]>();
  for (const [, section = '', item = '', count, amount] of answers.statement!) {
    tables.set(section, [...(tables.get(section) ?? []), numbersRow(words(item), count, amount)]);
  }
  const heads = ['Figure', 'Number', 'USD'];
  return [...tables].map(([section, rows]) =>
    numbersTable({ caption: words(section), isCaptionSeen: true, heads, rows }),
  );
};

/** `net_margin` as `Net margin`; an address stays as it is. */
function words(name: string): string {
  return name.startsWith('/') ? name : name[0]!.toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

import { html } from 'lit-html';
import { fileSaving } from './files.panel';
import type { Frame } from './frame';
import { hashOf } from './settings';
import { named, numbers, table } from './table';
import { monthText, nameText } from './text';
import { SKELETON } from './values';

export const statement: Frame = {
  name: 'statement',
  id: 'statement',
  title: ({ view: { statement: month }, freshness }) =>
    month && `Statement, ${monthText(month)}${freshness?.asOf.startsWith(month) ? ', so far' : ''}`,
  kind: 'statement',
  isHidden: ({ view }) => view.statement === '',
  tools: (state) => {
    const { view } = state;
    if (view.statement === '') return '';
    const title = `Statement, ${monthText(view.statement)}`;
    return html`
      ${fileSaving('statement', { word: 'CSV', title }, state)}
      <button type="button" class="plain" @click=${() => print()}>Print</button>
      <a class="plain" href=${hashOf({ ...view, statement: '' })}>Back to the numbers</a>
    `;
  },
  /** The lines of its file, to the micro-dollar, so that they add up on paper too. */
  content: ({ answers, sections }) => {
    if (!answers.statement || !sections.statement.isCurrent) return SKELETON;
    const lines = answers.statement;
    return [...new Set(lines.map(([, section]) => section!))].map((section) =>
      table<string[]>({
        caption: words(section),
        isCaptionSeen: true,
        columns: [
          named('Figure', ([, , item = '']) => words(item)),
          numbers('Number', ([, , , count]) => count),
          numbers('USD', ([, , , , amount]) => amount),
        ],
        rows: lines.filter((line) => line[1] === section),
      }),
    );
  },
};

/** `net_margin` as `Net margin`; an address stays as it is. */
function words(name: string): string {
  return name.startsWith('/') ? name : nameText(name);
}

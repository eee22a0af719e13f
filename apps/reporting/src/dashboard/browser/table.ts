import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { SKELETON } from './values';

export interface Column<Row> {
  title: string;
  /** Of its head and of its cells. */
  kind?: string;
  value: (row: Row) => unknown;
  head?: unknown;
  /** Its cells name their rows. */
  isName?: boolean;
}

interface Table<Row> {
  caption: unknown;
  /** Whether it is on the screen too, not for screen readers alone. */
  isCaptionSeen?: boolean;
  kind?: string;
  id?: string;
  columns: readonly Column<Row>[];
  /** One that is undefined is still to come. */
  rows: readonly (Row | undefined)[];
  /** Keeps a row with its element when rows come in above it. */
  key?: (row: Row) => string;
  around?: (row: Row, cells: TemplateResult[]) => TemplateResult;
  /** Said above the rows, or in place of them. */
  messages?: readonly string[];
}

export function named<Row>(title: string, value: Column<Row>['value']): Column<Row> {
  return { title, value, isName: true };
}

export function column<Row>(title: string, kind: string, value: Column<Row>['value']): Column<Row> {
  return { title, kind, value };
}

export function numbers<Row>(title: string, value: Column<Row>['value'], kind = ''): Column<Row> {
  return column(title, `number ${kind}`.trim(), value);
}

/** Its roles are said, for narrow screens show a row as a block, its cells with the heads of their columns. */
export function table<Row>(one: Table<Row>): TemplateResult {
  const { caption, isCaptionSeen, kind, id, columns, rows, messages = [] } = one;
  const { key = () => '', around = (_row, cells) => rowOf(cells) } = one;
  const all = rows.map((row, index) => {
    const cells = columns.map((one) => cell(one, row));
    return { key: (row && key(row)) || String(index), content: row ? around(row, cells) : rowOf(cells) };
  });
  return html`<table role="table" class=${kind ?? nothing}>
    <caption class=${isCaptionSeen ? nothing : 'unseen'}>
      ${caption}
    </caption>
    <thead role="rowgroup">
      ${rowOf(columns.map(headOf))}
    </thead>
    <tbody role="rowgroup" id=${id ?? nothing}>
      ${messages.map((text) => rowOf(html`<td role="cell" colspan=${columns.length} class="none">${text}</td>`))}
      ${repeat(
        all,
        (row) => row.key,
        ({ content }) => content,
      )}
    </tbody>
  </table>`;
}

function rowOf(cells: unknown): TemplateResult {
  return html`<tr role="row">
    ${cells}
  </tr>`;
}

function headOf({ title, kind, head }: Column<never>): TemplateResult {
  return html`<th role="columnheader" scope="col" class=${kind ?? nothing}>${head ?? title}</th>`;
}

function cell<Row>({ title, kind, value, isName }: Column<Row>, row: Row | undefined): TemplateResult {
  const content = row ? value(row) : SKELETON;
  if (isName) {
    return html`<th role="rowheader" scope="row">
      ${content}${row ? nothing : html`<span class="unseen">Loading</span>`}
    </th>`;
  }
  return html`<td role="cell" class=${kind ?? nothing} data-label=${title}>${content}</td>`;
}

import { pages, pageText } from './monitoring-files';

/** Anchor of the section that says what to do about an alert. */
export function anchorOf(alert: string): string {
  return alert.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}

/** Sections of the pages of operations by their anchor: the page, and the text below the heading. */
export function sections(): ReadonlyMap<string, { page: string; text: string }> {
  return new Map(
    pages().flatMap((page) =>
      pageText(page)
        .split(/^## /m)
        .slice(1)
        .map((section) => {
          const [heading = ''] = section.split('\n');
          return [heading.toLowerCase().replaceAll(' ', '-'), { page, text: section }] as const;
        }),
    ),
  );
}

/** Where the rule of an alert leads. */
export function runbookOf(alert: string): string {
  const anchor = anchorOf(alert);
  return `docs/operations/${sections().get(anchor)?.page ?? 'nothing'}.md#${anchor}`;
}

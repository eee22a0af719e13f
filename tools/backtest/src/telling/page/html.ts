/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

export type Content = Html | string | number | readonly Content[];

/** Everything that is put in is text, unless it was made here itself. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(parts.map((part, i) => (i === 0 ? part : textOf(contents[i - 1]!) + part)).join(''));
}

function textOf(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(textOf).join('');
  return String(content).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

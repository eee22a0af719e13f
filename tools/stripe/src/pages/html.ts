/** What a page answers: itself, or where to go. */
export type Page = { status: number; html: string } | { redirect: string };

/** Text that is markup already. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[];

/** A template whose values are escaped, unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(shown)));
}

function shown(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(part).replaceAll(/[&<>"']/g, (character) => named[character]!);
}

export const nothing = new Html('');

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
  label { display: block; }
  select { max-width: 100%; }
  code { overflow-wrap: anywhere; }
  small, .quiet { opacity: .7; }
  button, select, input { font: inherit; padding: .4rem .8rem; margin: .2rem 0; }
  [role=alert] { border-left: .3rem solid crimson; padding-left: .8rem; }
  td, th { text-align: left; padding: .2rem .8rem .2rem 0; }
`;

export function page(title: string, body: Html, status = 200): Page {
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <small>Development Stripe: no real money</small>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`;
  return { status, html: whole.text };
}

export function alert(text: string | null): Html {
  return text === null ? nothing : html`<p role="alert">${text}</p>`;
}

export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

export function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

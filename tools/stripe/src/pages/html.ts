/** The answer of a page: itself, or a redirect. */
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
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
  button, select { font: inherit; max-width: 100%; padding: .4rem .8rem; margin: .2rem 0; }
  [role=alert] { border-left: .3rem solid crimson; padding-left: .8rem; }
`;

/** @param alert what went wrong */
export function page(title: string, body: Html, { status = 200, alert = '' } = {}): Page {
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
        ${alert === '' ? [] : html`<p role="alert">${alert}</p>`} ${body}
      </body>
    </html>`;
  return { status, html: whole.text };
}

/** A form that is one button. @param id also its name for tests of browsers */
export function button(id: string, label: string, values: Record<string, string> = {}): Html {
  const hidden = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="post">${hidden}<button id="${id}">${label}</button></form>`;
}

/** A card is chosen in it. */
export function cardForm(id: string, label: string, cards: Record<string, string>): Html {
  const options = Object.entries(cards).map(([card, name]) => html`<option value="${card}">${name}</option>`);
  return html`<form method="post">
    <label
      >Card
      <select name="card">
        ${options}
      </select></label
    >
    <p><button id="${id}">${label}</button></p>
  </form>`;
}

export function back(url: string | null): Html {
  return url === null ? new Html('') : html`<p><a id="back" href="${url}">Back</a></p>`;
}

export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

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

/** @param alert what went wrong */
export function page(title: string, body: Html, { status = 200, alert = '' } = {}): Page {
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
      </head>
      <body>
        <small>Development Stripe: no real money</small>
        <h1>${title}</h1>
        ${alert === '' ? [] : html`<p role="alert">${alert}</p>`} ${body}
      </body>
    </html>`;
  return { status, html: whole.text };
}

/** A form of one button for each card. */
export function cardButtons(label: string, cards: Record<string, string>): Html {
  const buttons = Object.entries(cards).map(
    ([card, name]) => html`<p><button name="card" value="${card}">${label}: ${name}</button></p>`,
  );
  return html`<form method="post">${buttons}</form>`;
}

export function back(url: string | null): Html {
  return url === null ? new Html('') : html`<p><a href="${url}">Back</a></p>`;
}

export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

import type Stripe from 'stripe';
import { type CheckoutCard, completeCheckout, payInvoice } from './subscriptions';
import type { Card, Invoice, Subscription, World } from './world';

export type Page = { status: number; html: string } | { redirect: string };

/** Text that is markup already. */
class Html {
  constructor(readonly text: string) {}
}

/** A template whose values are escaped, unless they are markup themselves. */
function html(strings: TemplateStringsArray, ...parts: (string | number | Html | readonly Html[])[]): Html {
  const shown = parts.map((part) => {
    if (part instanceof Html) return part.text;
    if (typeof part === 'object') return part.map(({ text }) => text).join('');
    return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  });
  return new Html(String.raw({ raw: strings }, ...shown));
}

function page(title: string, body: Html, status = 200): Page {
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
        ${body}
      </body>
    </html>`;
  return { status, html: whole.text };
}

/** Test cards, with the numbers that Stripe's own have. */
const CHECKOUT_CARDS: Record<CheckoutCard, string> = {
  good: '4242 4242 4242 4242, succeeds',
  declined: '4000 0000 0000 0002, is declined',
  good_then_declines: '4000 0000 0000 0341, succeeds now and fails later',
};
const CARDS: Record<Card, string> = {
  good: CHECKOUT_CARDS.good,
  declines: '4000 0000 0000 0341, fails at the next invoice',
};

function cardButtons(label: string, cards: Record<string, string>): Html {
  const buttons = Object.entries(cards).map(
    ([card, name]) => html`<p><button name="card" value="${card}">${label}: ${name}</button></p>`,
  );
  return html`<form method="post">${buttons}</form>`;
}

function link(url: string, text = url): Html {
  return html`<p><a href="${url}">${text}</a></p>`;
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

/** The hosted page of a path. @param form what was sent with POST by its buttons, else null */
export function hostedPage(world: World, path: string, form: URLSearchParams | null): Page {
  const [, kind = '', id = ''] = path.split('/');
  const card = form?.get('card') ?? '';
  const session = world.sessions.find(id);
  const portal = world.portalSessions.find(id);
  const invoice = world.invoices.find(id);
  if (kind === '') return homePage(world);
  if (kind === 'checkout' && session) return checkoutPage(world, session, card);
  if (kind === 'portal' && portal) return portalPage(world, portal, card);
  if (kind === 'invoice' && invoice) return invoicePage(world, invoice, card);
  return page('No such page', html`<p>It may be of an earlier run.</p>`, 404);
}

/** Pays, and goes where the session says. A declined card shows the page again. */
function checkoutPage(world: World, session: Stripe.Checkout.Session, card: string): Page {
  if (session.status === 'expired') return page('This page has expired', html`<p>Start again in the app.</p>`, 410);
  if (session.status === 'complete') return page('Already paid', html`<p>Nothing is left to do here.</p>`);
  if (Object.hasOwn(CHECKOUT_CARDS, card) && completeCheckout(world, session, card as CheckoutCard)) {
    return { redirect: session.success_url!.replaceAll('{CHECKOUT_SESSION_ID}', session.id) };
  }
  const { price, trialDays } = world.offers.get(session.id)!;
  const amount = `${dollars(price.unit_amount!)} / ${price.recurring!.interval}`;
  const body = html`${card === '' ? [] : html`<p role="alert">Your card was declined.</p>`}
    <p>${price.nickname!}: <strong>${amount}</strong></p>
    ${trialDays === null ? [] : html`<p>${trialDays} days free, then ${amount}.</p>`}
    ${cardButtons('Subscribe', CHECKOUT_CARDS)} ${session.cancel_url === null ? [] : link(session.cancel_url, 'Back')}`;
  return page('Subscribe', body);
}

/** Saves a card. */
function portalPage(world: World, portal: Stripe.BillingPortal.Session, card: string): Page {
  if (Object.hasOwn(CARDS, card)) {
    world.cards.set(portal.customer, card as Card);
    return { redirect: portal.url };
  }
  const own = world.subscriptions.all.filter(({ customer }) => customer === portal.customer);
  const back = portal.return_url === null ? [] : link(portal.return_url, 'Back');
  return page('Your subscription', html`${own.map(shown)} ${cardButtons('Save', CARDS)} ${back}`);
}

function shown({ id, items, status }: Subscription): Html {
  return html`<p>${items.data[0]!.price.nickname!}, ${status} <code>${id}</code></p>`;
}

/** Where people pay what has failed, with a card that is kept for later invoices. */
function invoicePage(world: World, invoice: Invoice, card: string): Page {
  if (Object.hasOwn(CARDS, card) && invoice.status === 'open') {
    world.cards.set(invoice.customer as string, card as Card);
    payInvoice(world, invoice);
  }
  const lines = invoice.lines.data.map(({ description, amount }) => html`<p>${description!}: ${dollars(amount)}</p>`);
  const body = html`${lines}
    <p>Due: ${dollars(invoice.amount_remaining)}</p>
    <p>Status: ${invoice.status!}</p>
    ${invoice.status === 'open' ? cardButtons('Pay', CARDS) : []}`;
  return page(`Invoice ${invoice.number ?? ''}`, body);
}

/** For a developer: pages to open, and a clock to move. */
function homePage(world: World): Page {
  const openOf = <Kept extends { status: string | null }>(all: readonly Kept[]) =>
    all.filter(({ status }) => status === 'open').toReversed();
  const days = [1, 7, 31].map((count) => html`<button name="days" value="${count}">${count} days</button>`);
  const body = html`<p>Its time is <time>${world.now().toISOString()}</time>.</p>
    <form method="post">Move it by ${days}</form>
    <h2>Open checkout pages</h2>
    ${openOf(world.sessions.all).map(({ url }) => link(url!))}
    <h2>Invoices to pay</h2>
    ${openOf(world.invoices.all).map(({ hosted_invoice_url: url }) => link(url!))}
    <h2>Subscriptions</h2>
    ${world.subscriptions.all.toReversed().map(shown)}
    <p>${world.events.all.length} events so far.</p>`;
  return page('Development Stripe', body);
}

import type Stripe from 'stripe';
import { completeCheckout, type CheckoutCard } from '../billing/checkout';
import { payInvoice, setCard } from '../billing/collecting';
import { scheduleEnd } from '../billing/ending';
import { periodOf } from '../billing/invoicing';
import { itemOf } from '../objects/sales';
import type { Card, World } from '../world/world';
import { back, button, cardForm, dollars, html, page, type Html, type Page } from './html';

type Form = URLSearchParams | null;

/** The hosted page of a path. @param form what was sent with POST by its buttons, else null */
export function hostedPage(world: World, path: string, form: Form): Page {
  const [, kind = '', id = ''] = path.split('/');
  if (kind === '') return homePage(world);
  const session = world.sessions.get(id);
  if (kind === 'checkout' && session) return checkoutPage(world, session, form);
  const portal = world.portalSessions.get(id);
  if (kind === 'portal' && portal) return portalPage(world, portal, form);
  const invoice = world.invoices.get(id);
  if (kind === 'invoice' && invoice) return invoicePage(world, invoice, form);
  return page('No such page', html`<p>It may be of an earlier run.</p>`, { status: 404 });
}

/** Test cards, with the numbers that Stripe's own have. */
const CHECKOUT_CARDS: Record<CheckoutCard, string> = {
  good: '4242 4242 4242 4242, succeeds',
  declined: '4000 0000 0000 0002, is declined',
  good_then_declines: '4000 0000 0000 0341, succeeds now and fails later',
};

/** Pays, and goes where the session says. A declined card shows the page again. */
function checkoutPage(world: World, session: Stripe.Checkout.Session, form: Form): Page {
  let alert = '';
  if (form && session.status === 'open') {
    const card = form.get('card') ?? 'good';
    const isCard = Object.hasOwn(CHECKOUT_CARDS, card);
    if (isCard) completeCheckout(world, session, card as CheckoutCard);
    // That was the other status until the line before.
    if (session.status === 'complete') {
      return { redirect: session.success_url!.replaceAll('{CHECKOUT_SESSION_ID}', session.id) };
    }
    alert = isCard ? 'Your card was declined.' : 'Choose a card.';
  }
  if (session.status === 'expired') {
    return page('This page has expired', html`<p>Start again in the app.</p>`, { status: 410 });
  }
  if (session.status === 'complete') return page('Already paid', html`<p>Nothing is left to do here.</p>`);
  const { price, trialDays } = world.plannedSubscriptions.get(session.id)!;
  const amount = amountOf(price);
  const trial = trialDays === null ? [] : html`<p>${trialDays} days free, then ${amount}.</p>`;
  const pay = cardForm('pay', trialDays === null ? 'Subscribe' : 'Start trial', CHECKOUT_CARDS);
  const body = html`<p>${price.nickname!}: <strong>${amount}</strong></p>
    ${trial} ${pay} ${back(session.cancel_url)}`;
  return page('Subscribe', body, { alert });
}

function amountOf({ unit_amount: cents, recurring }: Stripe.Price): string {
  return `${dollars(cents!)} / ${recurring!.interval}`;
}

const PORTAL_CARDS: Record<Card, string> = {
  good: '4242 4242 4242 4242, succeeds',
  declines: '4000 0000 0000 0341, fails at the next invoice',
};

/** Saves a card, or schedules an end. */
function portalPage(world: World, session: Stripe.BillingPortal.Session, form: Form): Page {
  const customer = world.customers.get(session.customer);
  if (!customer) return page('No such customer', html`<p>They were deleted.</p>`, { status: 404 });
  const own = [...world.subscriptions.unfinished()].filter((one) => one.customer === customer.id);
  if (form) {
    const card = form.get('card') ?? '';
    if (Object.hasOwn(PORTAL_CARDS, card)) setCard(world, customer, card as Card);
    const changed = own.find(({ id }) => id === form.get('subscription'));
    // Stripe's portal sets the time of the end, not the flag, for subscriptions in flexible billing mode.
    if (changed && form.get('do') === 'cancel') scheduleEnd(world, changed, periodOf(changed).end);
    if (changed && form.get('do') === 'resume') scheduleEnd(world, changed, null);
    return { redirect: session.flow?.after_completion.redirect?.return_url ?? session.url };
  }
  const shown = session.flow === null ? own.map(shownSubscription) : [];
  const body = html`${shown}
    <h2>New card</h2>
    ${cardForm('save-card', 'Save', PORTAL_CARDS)} ${back(session.return_url)}`;
  return page('Your subscription', body);
}

function shownSubscription(subscription: Stripe.Subscription): Html {
  const { cancel_at: cancelAt, id, status } = subscription;
  const { price } = itemOf(subscription);
  const change =
    cancelAt === null
      ? button('cancel', 'Cancel at the end of the period', { do: 'cancel', subscription: id })
      : button('resume', "Don't cancel", { do: 'resume', subscription: id });
  const day = new Date((cancelAt ?? periodOf(subscription).end) * 1_000).toISOString().slice(0, 10);
  return html`<h2>${price.nickname!}</h2>
    <p>${amountOf(price)}, ${status}</p>
    <p>${cancelAt === null ? 'Renews' : 'Ends'} on ${day}</p>
    ${change}`;
}

/** Where people pay what has failed, with a card that is kept for later invoices. */
function invoicePage(world: World, invoice: Stripe.Invoice, form: Form): Page {
  let alert = '';
  if (form && invoice.status === 'open') {
    world.cards.set(invoice.customer as string, form.get('card') === 'declines' ? 'declines' : 'good');
    if (payInvoice(world, invoice) === 'failed') alert = 'Your card was declined.';
  }
  const lines = invoice.lines.data.map(({ description, amount }) => html`<li>${description!}: ${dollars(amount)}</li>`);
  const pay = [
    button('pay', `Pay ${dollars(invoice.amount_due)}`, { card: 'good' }),
    button('decline', 'Pay with a card that is declined', { card: 'declines' }),
  ];
  const body = html`<ul>
      ${lines}
    </ul>
    <p>Due: ${dollars(invoice.amount_remaining)}</p>
    <p>Status: <span id="status">${invoice.status!}</span></p>
    ${invoice.status === 'open' ? pay : []}`;
  return page(`Invoice ${invoice.number ?? ''}`, body, { alert });
}

const SHOWN = 20;

/** For a developer: pages to open, and a clock to move. */
function homePage(world: World): Page {
  const newest = <Kept>(objects: Iterable<Kept>): Kept[] => [...objects].reverse().slice(0, SHOWN);
  const link = (url: string, label: string) => html`<li><a href="${url}">${label}</a></li>`;
  const sessions = newest(world.sessions.unfinished()).map(({ id, url }) => link(url!, `${id.slice(0, 20)}…`));
  const open = newest(world.invoices.values()).filter(({ status }) => status === 'open');
  const invoices = open.map(({ number, hosted_invoice_url: url }) => link(url!, number!));
  const subscriptions = newest(world.subscriptions.values()).map(
    (one) => html`<li>${itemOf(one).price.nickname!}, ${one.status} <code>${one.id}</code></li>`,
  );
  const days = ([1, 7, 31] as const).map((count) => html`<button name="days" value="${count}">${count} days</button>`);
  const list = (title: string, items: Html[]) =>
    html`<h2>${title}</h2>
      <ul>
        ${items}
      </ul>`;
  return page(
    'Development Stripe',
    html`<p>Its time is <time id="now">${world.time.now().toISOString()}</time>.</p>
      <form method="post">Move it by ${days}</form>
      ${list('Open checkout pages', sessions)} ${list('Invoices to pay', invoices)}
      ${list('Subscriptions', subscriptions)}
      <p>${world.events.all.length} events so far.</p>`,
  );
}

import type Stripe from 'stripe';
import { completeCheckout, type CheckoutCard } from '../billing/checkout';
import { payInvoice } from '../billing/collecting';
import { itemOf } from '../world/objects';
import type { Card, World } from '../world/world';
import { back, cardButtons, dollars, html, page, type Html, type Page } from './html';

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
  if (session.status === 'expired') {
    return page('This page has expired', html`<p>Start again in the app.</p>`, { status: 410 });
  }
  if (session.status === 'complete') return page('Already paid', html`<p>Nothing is left to do here.</p>`);
  const card = form?.get('card') ?? '';
  if (Object.hasOwn(CHECKOUT_CARDS, card) && completeCheckout(world, session, card as CheckoutCard)) {
    return { redirect: session.success_url!.replaceAll('{CHECKOUT_SESSION_ID}', session.id) };
  }
  const { price, trialDays } = world.plannedSubscriptions.get(session.id)!;
  const amount = `${dollars(price.unit_amount!)} / ${price.recurring!.interval}`;
  const trial = trialDays === null ? [] : html`<p>${trialDays} days free, then ${amount}.</p>`;
  const pay = cardButtons('Subscribe', CHECKOUT_CARDS);
  const body = html`<p>${price.nickname!}: <strong>${amount}</strong></p>
    ${trial} ${pay} ${back(session.cancel_url)}`;
  return page('Subscribe', body, { alert: form ? 'Your card was declined.' : '' });
}

const CARDS: Record<Card, string> = {
  good: '4242 4242 4242 4242, succeeds',
  declines: '4000 0000 0000 0341, fails at the next invoice',
};

/** Saves a card. */
function portalPage(world: World, { customer, url, return_url }: Stripe.BillingPortal.Session, form: Form): Page {
  const card = form?.get('card') ?? '';
  if (Object.hasOwn(CARDS, card)) world.cards.set(customer, card as Card);
  if (form) return { redirect: url };
  const own = [...world.subscriptions.values()].filter((one) => one.customer === customer);
  return page(
    'Your subscription',
    html`${own.map(shownSubscription)} ${cardButtons('Save', CARDS)} ${back(return_url)}`,
  );
}

function shownSubscription(subscription: Stripe.Subscription): Html {
  const { price } = itemOf(subscription);
  return html`<p>${price.nickname!}, ${subscription.status} <code>${subscription.id}</code></p>`;
}

/** Where people pay what has failed, with a card that is kept for later invoices. */
function invoicePage(world: World, invoice: Stripe.Invoice, form: Form): Page {
  const card = form?.get('card') ?? '';
  if (Object.hasOwn(CARDS, card) && invoice.status === 'open') {
    world.cards.set(invoice.customer as string, card as Card);
    payInvoice(world, invoice);
  }
  const lines = invoice.lines.data.map(({ description, amount }) => html`<li>${description!}: ${dollars(amount)}</li>`);
  const pay = invoice.status === 'open' ? cardButtons('Pay', CARDS) : [];
  const body = html`<ul>
      ${lines}
    </ul>
    <p>Due: ${dollars(invoice.amount_remaining)}</p>
    <p>Status: ${invoice.status!}</p>
    ${pay}`;
  return page(`Invoice ${invoice.number ?? ''}`, body);
}

const SHOWN = 20;

/** For a developer: pages to open, and a clock to move. */
function homePage(world: World): Page {
  const newest = <Kept>(objects: Iterable<Kept>): Kept[] => [...objects].reverse().slice(0, SHOWN);
  const link = (url: string) => html`<li><a href="${url}">${url}</a></li>`;
  const sessions = newest(world.sessions.values()).filter(({ status }) => status === 'open');
  const invoices = newest(world.invoices.values()).filter(({ status }) => status === 'open');
  const days = ([1, 7, 31] as const).map((count) => html`<button name="days" value="${count}">${count} days</button>`);
  const body = html`<p>Its time is <time>${world.time.now().toISOString()}</time>.</p>
    <form method="post">Move it by ${days}</form>
    <h2>Open checkout pages</h2>
    <ul>
      ${sessions.map(({ url }) => link(url!))}
    </ul>
    <h2>Invoices to pay</h2>
    <ul>
      ${invoices.map(({ hosted_invoice_url: url }) => link(url!))}
    </ul>
    <h2>Subscriptions</h2>
    ${newest(world.subscriptions.values()).map(shownSubscription)}
    <p>${world.events.length} events so far.</p>`;
  return page('Development Stripe', body);
}

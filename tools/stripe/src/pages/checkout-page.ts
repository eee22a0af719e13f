import type Stripe from 'stripe';
import { completeCheckout, type CheckoutCard } from '../billing/checkout';
import type { World } from '../world/world';
import { alert, dollars, html, nothing, page, type Page } from './html';

/** Test cards of the page, with the numbers that Stripe's own have. */
const CARDS: Record<CheckoutCard, string> = {
  good: '4242 4242 4242 4242, succeeds',
  declined: '4000 0000 0000 0002, is declined',
  good_then_declines: '4000 0000 0000 0341, succeeds now and fails later',
  delayed: 'Bank debit, decided days later',
};

export function showCheckout(world: World, session: Stripe.Checkout.Session, refusal: string | null = null): Page {
  if (session.status === 'expired') return page('This page has expired', html`<p>Start again in the app.</p>`, 410);
  if (session.status === 'complete') return page('Already paid', html`<p>Nothing is left to do here.</p>`);
  const { price } = world.lineItems.get(session.id)![0]!;
  const { trialDays } = world.plannedSubscriptions.get(session.id)!;
  const amount = `${dollars(price!.unit_amount!)} / ${price!.recurring!.interval}`;
  const cards = Object.entries(CARDS).map(([card, label]) => html`<option value="${card}">${label}</option>`);
  const back = session.cancel_url === null ? nothing : html`<p><a id="back" href="${session.cancel_url}">Back</a></p>`;
  const body = html`
    <p>${price!.nickname!}: <strong>${amount}</strong></p>
    ${trialDays === null ? nothing : html`<p>${trialDays} days free, then ${amount}.</p>`} ${alert(refusal)}
    <form method="post">
      <label
        >Card
        <select name="card">
          ${cards}
        </select></label
      >
      <p><button id="pay">${trialDays === null ? 'Subscribe' : 'Start trial'}</button></p>
    </form>
    ${back}
  `;
  return page('Subscribe', body);
}

/** Pays, and goes where the session says. A declined card shows the page again. */
export function payCheckout(world: World, session: Stripe.Checkout.Session, form: URLSearchParams): Page {
  const card = form.get('card') ?? 'good';
  if (!isCard(card)) return showCheckout(world, session, 'Choose a card.');
  if (session.status !== 'open') return showCheckout(world, session);
  completeCheckout(world, session, card);
  if (card === 'declined') return showCheckout(world, session, 'Your card was declined.');
  const { success_url: success } = session;
  if (success === null) return showCheckout(world, session);
  return { redirect: success.replaceAll('{CHECKOUT_SESSION_ID}', session.id) };
}

function isCard(card: string): card is CheckoutCard {
  return Object.hasOwn(CARDS, card);
}

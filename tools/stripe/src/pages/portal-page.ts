import type Stripe from 'stripe';
import { setCard } from '../billing/collecting';
import { scheduleEnd } from '../billing/ending';
import { periodOf } from '../billing/invoicing';
import { isOver, itemOf } from '../objects/subscriptions';
import type { Card, World } from '../world/world';
import { alert, day, dollars, html, nothing, page, type Html, type Page } from './html';

const CARDS: Record<Card, string> = {
  good: '4242 4242 4242 4242, succeeds',
  declines: '4000 0000 0000 0341, fails at the next invoice',
  requires_action: '4000 0025 0000 3155, asks for authentication',
};

export function showPortal(world: World, session: Stripe.BillingPortal.Session, told: string | null = null): Page {
  if (!world.customers.has(session.customer)) return page('No such customer', html`<p>They were deleted.</p>`, 404);
  const onlyCard = session.flow?.type === 'payment_method_update';
  const subscriptions = onlyCard ? [] : ownOf(world, session).map((subscription) => shownSubscription(subscription));
  const cards = Object.entries(CARDS).map(([card, label]) => html`<option value="${card}">${label}</option>`);
  const back = session.return_url === null ? nothing : html`<p><a id="back" href="${session.return_url}">Back</a></p>`;
  const body = html`
    ${alert(told)} ${subscriptions}
    <h2>Card</h2>
    <form method="post">
      <label
        >New card
        <select name="card">
          ${cards}
        </select></label
      >
      <button id="save-card" name="do" value="card">Save</button>
    </form>
    ${back}
  `;
  return page('Your subscription', body);
}

function ownOf(world: World, session: Stripe.BillingPortal.Session): Stripe.Subscription[] {
  const own = [...world.subscriptions.values()].filter(({ customer }) => customer === session.customer);
  return own.filter((subscription) => !isOver(subscription));
}

function shownSubscription(subscription: Stripe.Subscription): Html {
  const { price } = itemOf(subscription);
  const { cancel_at: cancelAt } = subscription;
  const button =
    cancelAt === null
      ? html`<button class="cancel" name="do" value="cancel">Cancel at the end of the period</button>`
      : html`<button class="resume" name="do" value="resume">Don't cancel</button>`;
  return html`
    <h2>${price.nickname!}</h2>
    <p>${dollars(price.unit_amount!)} / ${price.recurring!.interval}, ${subscription.status}</p>
    <p>${cancelAt === null ? 'Renews' : 'Ends'} on ${day(cancelAt ?? periodOf(subscription).end)}</p>
    <form method="post">
      <input type="hidden" name="subscription" value="${subscription.id}" />
      ${button}
    </form>
  `;
}

/** Does what a button says. */
export function changeInPortal(world: World, session: Stripe.BillingPortal.Session, form: URLSearchParams): Page {
  if (form.get('do') === 'card') return saveCard(world, session, form.get('card') ?? '');
  const subscription = ownOf(world, session).find(({ id }) => id === form.get('subscription'));
  if (!subscription) return showPortal(world, session, 'This subscription has ended.');
  // Stripe's portal sets the time of the end, not the flag, for subscriptions in flexible billing mode.
  if (form.get('do') === 'cancel') scheduleEnd(world, subscription, periodOf(subscription).end);
  if (form.get('do') === 'resume') scheduleEnd(world, subscription, null);
  return after(session);
}

function saveCard(world: World, session: Stripe.BillingPortal.Session, card: string): Page {
  const customer = world.customers.get(session.customer);
  if (!customer || !Object.hasOwn(CARDS, card)) return showPortal(world, session, 'Choose a card.');
  setCard(world, customer, card as Card);
  return after(session);
}

function after(session: Stripe.BillingPortal.Session): Page {
  const redirect = session.flow?.after_completion.redirect?.return_url;
  return { redirect: redirect ?? session.url };
}

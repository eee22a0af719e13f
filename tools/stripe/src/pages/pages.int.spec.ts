import { StripeAtNoon } from '../stripe-at-noon.fixture';

let stripe: StripeAtNoon;

beforeEach(async () => {
  stripe = await StripeAtNoon.start();
});

afterEach(() => stripe.close());

/** Opens a page, or presses a button of it, as a browser does without following where it leads. */
async function browse(url: string, form?: Record<string, string>) {
  const sent = form && { method: 'POST', body: new URLSearchParams(form) };
  const response = await fetch(url, { redirect: 'manual', ...sent });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

describe('checkout', () => {
  it('shows the plan, pays, and goes where the session says', async () => {
    const session = await stripe.aSession('yearly');
    const shown = await browse(session.url!);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('$59.99 / year');
    expect(shown.text).toContain('href="http://localhost:8080/left"');
    const declined = await browse(session.url!, { card: 'declined' });
    expect(declined.text).toContain('Your card was declined.');
    const paid = await browse(session.url!, { card: 'good' });
    expect(paid).toMatchObject({
      status: 303,
      location: `http://localhost:8080/paid?session_id=${session.id}`,
    });
    expect(await stripe.client.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
    expect((await browse(session.url!)).text).toContain('Already paid');
    expect((await browse(session.url!, { card: 'good' })).text).toContain('Already paid');
    expect(stripe.running.subscriptions).toHaveLength(1);
  });

  it('knows trials, and pages that have expired', async () => {
    const session = await stripe.aSession('monthly', 14);
    expect((await browse(session.url!)).text).toContain('14 days free');
    await stripe.daysLater(1);
    expect(await browse(session.url!)).toMatchObject({ status: 410, location: null });
  });
});

describe('the portal', () => {
  it('cancels and takes that back, as of flexible billing', async () => {
    const { id, customer, items } = await stripe.aSubscription();
    const session = await stripe.client.billingPortal.sessions.create({
      customer: customer as string,
      return_url: 'http://localhost:8080/account',
    });
    const shown = await browse(session.url);
    expect(shown.text).toContain('href="http://localhost:8080/account"');
    expect(shown.text).toContain('Renews on 2026-02-28');
    expect(await browse(session.url, { do: 'cancel', subscription: id })).toMatchObject({ status: 303 });
    expect(await stripe.client.subscriptions.retrieve(id)).toMatchObject({
      cancel_at: items.data[0]!.current_period_end,
      cancel_at_period_end: false,
    });
    expect((await browse(session.url)).text).toContain('Ends on 2026-02-28');
    await browse(session.url, { do: 'resume', subscription: id });
    expect(await stripe.client.subscriptions.retrieve(id)).toMatchObject({ cancel_at: null });
  });

  it('changes the card, and returns when it was opened for that', async () => {
    const { id, customer } = await stripe.aSubscription();
    const session = await stripe.client.billingPortal.sessions.create({
      customer: customer as string,
      flow_data: {
        type: 'payment_method_update',
        after_completion: { type: 'redirect', redirect: { return_url: 'http://localhost:8080/back' } },
      },
    });
    expect((await browse(session.url)).text).not.toContain('Renews on');
    const saved = await browse(session.url, { do: 'card', card: 'declines' });
    expect(saved).toMatchObject({ status: 303, location: 'http://localhost:8080/back' });
    await stripe.daysLater(29);
    expect(await stripe.client.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' });
  });
});

it('an invoice that failed can be paid on its page', async () => {
  const { id, customer } = await stripe.aSubscription();
  await stripe.running.setCard(customer as string, 'declines');
  await stripe.daysLater(29);
  const { hosted_invoice_url: url } = stripe.running.invoices.at(-1)!;
  expect((await browse(url!, { card: 'declines' })).text).toContain('Your card was declined.');
  expect((await browse(url!, { card: 'good' })).text).toContain('paid');
  expect(await stripe.client.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
});

it('the first page shows what is there, and moves the clock', async () => {
  const session = await stripe.aSession();
  expect((await browse(stripe.running.url)).text).toContain(`href="${session.url!}"`);
  const later = await browse(stripe.running.url, { days: '7' });
  expect(later.text).toContain('2026-02-07T12:00:00.000Z');
  expect(later.text).not.toContain(`href="${session.url!}"`);
});

it('unknown pages are a 404, and text of callers is escaped', async () => {
  expect(await browse(`${stripe.running.url}/checkout/cs_none`)).toMatchObject({ status: 404 });
  expect(await browse(`${stripe.running.url}/constructor/x`)).toMatchObject({ status: 404 });
  const { id } = await stripe.client.customers.create({});
  const session = await stripe.client.billingPortal.sessions.create({ customer: id, return_url: 'http://x/?"<b>' });
  expect((await browse(session.url)).text).not.toContain('<b>');
});

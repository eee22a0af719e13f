import { Program, stopPrograms } from '@evenkeel/services/programs';
import Stripe from 'stripe';
import type { StripeSettings } from './development-stripe';

afterEach(stopPrograms);

/** Opens a page, or presses a button of it, as a browser does without following where it leads. */
async function browse(url: string, form?: Record<string, string>) {
  const sent = form && { method: 'POST', body: new URLSearchParams(form) };
  const response = await fetch(url, { redirect: 'manual', ...sent });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

it('sells on its pages, and ends on SIGTERM', async () => {
  const args = ['--port', '0', '--json', '--webhook', 'http://127.0.0.1:9/webhook'];
  const program = Program.script('stripe', {}, args);
  const settings = (await program.ready()) as unknown as StripeSettings & { url: string };
  const { hostname, port } = new URL(settings.STRIPE_API_BASE);
  const client = new Stripe(settings.STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http' });

  const customer = await client.customers.create({});
  const { url: checkout, id } = await client.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: settings.STRIPE_PRICE_MONTHLY, quantity: 1 }],
    success_url: 'http://localhost/paid?session_id={CHECKOUT_SESSION_ID}',
    subscription_data: { trial_period_days: 14 },
  });
  expect((await browse(settings.url)).text).toContain(`href="${checkout}"`);
  expect((await browse(checkout!)).text).toContain('14 days free');
  expect((await browse(checkout!, { card: 'declined' })).text).toContain('Your card was declined.');
  const paid = { status: 303, location: `http://localhost/paid?session_id=${id}` };
  expect(await browse(checkout!, { card: 'good_then_declines' })).toMatchObject(paid);
  expect((await browse(checkout!, { card: 'good' })).text).toContain('Already paid');

  expect((await browse(settings.url, { days: '15' })).text).toContain('past_due');
  const portal = await client.billingPortal.sessions.create({ customer: customer.id, return_url: 'http://x/?"<b>' });
  expect(await browse(portal.url, { card: 'good' })).toMatchObject({ status: 303 });
  expect((await browse(portal.url)).text).not.toContain('<b>');
  const [owed] = (await client.invoices.list({ status: 'open' })).data;
  expect((await browse(owed!.hosted_invoice_url!, { card: 'good' })).text).toContain('Status: paid');
  expect((await client.subscriptions.list()).data).toMatchObject([{ status: 'active' }]);
  expect(await browse(`${settings.url}/checkout/constructor`)).toMatchObject({ status: 404 });
  expect(await program.stop()).toEqual({ code: 0, signal: null });
});

it('refuses production', async () => {
  const program = Program.script('stripe', { NODE_ENV: 'production' });
  expect((await program.exit).code).toBe(1);
  expect(program.output).toContain('NODE_ENV must not be production');
});

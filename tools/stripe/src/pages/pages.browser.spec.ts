import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBrowser } from '@evenkeel/services/browser';
import type { Browser, Page } from 'playwright-core';
import { StripeAtNoon } from '../stripe-at-noon.fixture';

let browser: Browser;
let page: Page;
let stripe: StripeAtNoon;
/** Any address that answers stands for the app to which pages lead back. */
let app: Server;
let appUrl: string;

beforeAll(async () => {
  browser = await openBrowser();
  app = createServer((_request, response) => response.end('The app.')).listen(0, '127.0.0.1');
  await once(app, 'listening');
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
  stripe = await StripeAtNoon.start();
}, 60_000);

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 360, height: 740 } });
});

afterEach(() => page.close());

afterAll(async () => {
  await browser.close();
  await stripe.close();
  app.close();
  app.closeAllConnections();
});

async function aSessionForTheApp(): Promise<{ id: string; url: string }> {
  const { id } = await stripe.client.customers.create({ metadata: { user_id: 'u1' } });
  const session = await stripe.client.checkout.sessions.create({
    mode: 'subscription',
    customer: id,
    line_items: [{ price: stripe.running.prices.monthly, quantity: 1 }],
    success_url: `${appUrl}?paid={CHECKOUT_SESSION_ID}`,
    cancel_url: `${appUrl}?left`,
  });
  return { id: session.id, url: session.url! };
}

const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

it('somebody is declined, pays, and comes back to the app', async () => {
  const session = await aSessionForTheApp();
  await page.goto(session.url);
  expect(await fits()).toBe(true);
  await page.selectOption('[name=card]', 'declined');
  await page.click('#pay');
  expect(await page.textContent('[role=alert]')).toBe('Your card was declined.');
  await page.selectOption('[name=card]', 'good');
  await page.click('#pay');
  await page.waitForURL(`${appUrl}?paid=${session.id}`);
  expect(await stripe.client.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
}, 30_000);

it('the first page fits a telephone', async () => {
  await stripe.aSubscription();
  await page.goto(stripe.running.url);
  expect(await page.textContent('h1')).toBe('Development Stripe');
  expect(await fits()).toBe(true);
});

it('somebody leaves the page, and nothing was bought', async () => {
  const session = await aSessionForTheApp();
  await page.goto(session.url);
  await page.click('#back');
  await page.waitForURL(`${appUrl}?left`);
  expect(await stripe.client.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open' });
}, 30_000);

it('somebody cancels in the portal, and thinks again', async () => {
  const { id, customer } = await stripe.aSubscription();
  const { url } = await stripe.client.billingPortal.sessions.create({
    customer: customer as string,
    return_url: `${appUrl}?back`,
  });
  await page.goto(url);
  expect(await fits()).toBe(true);
  await page.click('.cancel');
  await page.waitForSelector('.resume');
  expect((await stripe.client.subscriptions.retrieve(id)).cancel_at).not.toBeNull();
  await page.click('.resume');
  await page.waitForSelector('.cancel');
  expect((await stripe.client.subscriptions.retrieve(id)).cancel_at).toBeNull();
  await page.click('#back');
  await page.waitForURL(`${appUrl}?back`);
}, 30_000);

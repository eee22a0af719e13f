import type Stripe from 'stripe';
import { payInvoice } from '../billing/collecting';
import type { World } from '../world/world';
import { alert, dollars, html, nothing, page, type Page } from './html';

/** The page to which people are sent when a payment has failed. */
export function showInvoice(_world: World, invoice: Stripe.Invoice, told: string | null = null): Page {
  const lines = invoice.lines.data.map(
    ({ description, amount }) =>
      html`<tr>
        <td>${description!}</td>
        <td>${dollars(amount)}</td>
      </tr>`,
  );
  const pay = html`<form method="post">
    <button id="pay" name="card" value="good">Pay ${dollars(invoice.amount_due)}</button>
    <button id="decline" name="card" value="declines">Pay with a card that is declined</button>
  </form>`;
  const body = html`
    ${alert(told)}
    <table>
      ${lines}
      <tr>
        <th>Due</th>
        <th>${dollars(invoice.amount_remaining)}</th>
      </tr>
    </table>
    <p>Status: <span id="status">${invoice.status!}</span></p>
    ${invoice.status === 'open' ? pay : nothing}
  `;
  return page(`Invoice ${invoice.number ?? ''}`, body);
}

/** Pays with the card that was chosen, which is kept for later invoices. */
export function payOnInvoicePage(world: World, invoice: Stripe.Invoice, form: URLSearchParams): Page {
  if (invoice.status !== 'open') return showInvoice(world, invoice, 'This invoice cannot be paid.');
  world.cards.set(invoice.customer as string, form.get('card') === 'declines' ? 'declines' : 'good');
  if (payInvoice(world, invoice) === 'failed') return showInvoice(world, invoice, 'Your card was declined.');
  return showInvoice(world, invoice);
}

const SHOWN = 20;

/** What is there, for a developer: pages to open, and a clock to move. */
export function showHome(world: World): Page {
  const sessions = newest(world.sessions.values()).filter(({ url }) => url !== null);
  const subscriptions = newest(world.subscriptions.values());
  const invoices = newest(world.invoices.values()).filter(({ status }) => status === 'open');
  const body = html`
    <p>Its time is <time id="now">${world.time.now().toISOString()}</time>.</p>
    <form method="post">
      Move it by
      <button name="days" value="1">a day</button>
      <button name="days" value="7">a week</button>
      <button name="days" value="31">31 days</button>
    </form>
    <h2>Open checkout pages</h2>
    <ul>
      ${sessions.map(({ id, url }) => html`<li><a href="${url!}">${id.slice(0, 20)}…</a></li>`)}
    </ul>
    <h2>Invoices to pay</h2>
    <ul>
      ${invoices.map(({ number, hosted_invoice_url: url }) => html`<li><a href="${url!}">${number!}</a></li>`)}
    </ul>
    <h2>Subscriptions</h2>
    <ul>
      ${subscriptions.map(
        ({ id, status, items }) => html`<li>${items.data[0]!.price.nickname!}, ${status}<br /><code>${id}</code></li>`,
      )}
    </ul>
    <p class="quiet">${world.events.all.length} events so far.</p>
  `;
  return page('Development Stripe', body);
}

function newest<Kept>(objects: Iterable<Kept>): Kept[] {
  return [...objects].reverse().slice(0, SHOWN);
}

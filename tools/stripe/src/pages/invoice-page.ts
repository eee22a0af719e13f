import type Stripe from 'stripe';
import { payInvoice } from '../billing/paying';
import type { World } from '../world/world';
import { alert, dollars, html, nothing, type Page, page } from './html';

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

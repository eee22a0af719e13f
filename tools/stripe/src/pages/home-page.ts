import type { World } from '../world/world';
import { html, type Page, page } from './html';

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

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Customer, CustomerSort } from './answers';
import { fileSaving } from './files.panel';
import { type Frame, more } from './frame';
import { CUSTOMERS, MOST_ROWS } from './lists';
import type { PageState } from './page-state';
import { paymentsWithin } from './points';
import { CUSTOMER_SORTS, sortOf } from './settings';
import { column, type Column, numbers, table } from './table';
import { changeOf, countText, nameText, periodText } from './text';
import { changeMark, copied, count, instant, money, settledLink, stackedBar } from './values';

const SORT_WORDS: Record<CustomerSort, string> = {
  lifetime_spend: 'Lifetime spend',
  window_spend: 'Spend in the period',
  paid_calls: 'Paid calls',
  last_payment: 'Last payment',
  window_fall: 'Fall since before',
};

export const customers: Frame = {
  name: 'customers',
  id: 'customers',
  title: 'Customers',
  tools: (state) => {
    const { view, answers, sections, act } = state;
    const days = answers.customers?.window && periodText(answers.customers.window);
    // Of the days that are chosen now.
    const title = sections.customers.isCurrent && `Customers, ${days}`;
    const sortBy = ({ target }: Event): void => act.look({ sort: (target as HTMLSelectElement).value as CustomerSort });
    const saving = html`<p class="muted" id="customers-period">Who paid: ${days}</p>
      ${title ? fileSaving('customers', { word: 'Customers', title }, state) : nothing}`;
    return html`
      ${days ? saving : nothing}
      <label class="sort-by">
        Sort by
        <select @change=${sortBy}>
          ${CUSTOMER_SORTS.filter((sort) => view.compare || sort !== 'window_fall').map(
            (sort) => html`<option value=${sort} ?selected=${sort === sortOf(view)}>${SORT_WORDS[sort]}</option>`,
          )}
        </select>
      </label>
    `;
  },
  content: (state) => {
    const { customers: answer } = state.answers;
    return html`
      ${table({
        caption: 'Wallets that paid in the period',
        kind: 'customers',
        id: 'customer-rows',
        columns: columnsOf(state),
        rows: answer?.customers ?? Array.from({ length: CUSTOMERS.first }, () => undefined),
        key: CUSTOMERS.key,
        messages: answer?.customers.length === 0 ? ['Nobody paid in this period.'] : [],
      })}
      ${more('customers', 'More customers', `The first ${MOST_ROWS} of this order.`, state)} ${tiers(state)}
    `;
  },
};

function columnsOf(state: PageState): Column<Customer>[] {
  const { window, as_of: asOf = '' } = state.answers.customers ?? {};
  const paid = (calls: number, wallet: string, within = {}): TemplateResult =>
    settledLink(calls, { wallet, ...within }, state);
  return [
    numbers('Rank', ({ rank }) => count(rank), 'rank'),
    column('Wallet', 'who', ({ wallet }) => copied(wallet, state, true)),
    column('Tier', 'tier', ({ tier }) => nameText(tier)),
    numbers('In period, USD', (row) => html`${money(row.window?.spend)}${change(row)}`, 'spend'),
    numbers('Calls in it', ({ wallet, window: own }) =>
      own && window ? paid(own.paid_calls, wallet, paymentsWithin(window)) : nothing,
    ),
    numbers('Lifetime, USD', (row) => money(row.lifetime_spend)),
    numbers('Paid calls', (row) => paid(row.paid_calls, row.wallet)),
    numbers('Credit calls', (row) => count(row.credit_calls), 'extra'),
    numbers('First payment, UTC', (row) => instant(row.first_payment_at, asOf, 'day'), 'extra'),
    numbers('Last payment, UTC', (row) => instant(row.last_payment_at, asOf), 'wide'),
  ];
}

/** Of the complete days of the period, against as many before them. */
function change({ change: sides }: Customer): unknown {
  if (!sides || sides.before.paid_calls + sides.compared.paid_calls === 0) return nothing;
  const { compared, before } = sides;
  const none = { direction: 'none', text: 'none before' } as const;
  const one = before.paid_calls === 0 ? none : changeOf(compared.spend.usd, before.spend.usd);
  return html`<small class="change">${changeMark(one)}</small>`;
}

function tiers({ answers }: PageState): TemplateResult {
  const shares = answers.customers?.tier_distribution ?? [];
  const { bar, keys } = stackedBar(
    shares.map(({ tier, wallets: size }) => ({ name: tier, word: nameText(tier), size, value: countText(size) })),
  );
  return html`<h3>Wallets by tier, all time</h3>
    ${bar}
    <ul class="keys">
      ${keys}
    </ul>`;
}

import { html, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Customer } from './answers';
import type { PageActions, PageState, View } from './page-state';
import { address, cell, count, instant, money, SKELETON } from './values.view';

const ROWS = 10;

export const customersView: View = (state, actions) => {
  const { customers, as_of } = state.snapshot?.customers ?? {};
  if (!customers) return Array.from({ length: ROWS }, () => SKELETON_ROW);
  return repeat(
    customers,
    ({ wallet }) => wallet,
    (customer) => customerRow(customer, as_of, state, actions),
  );
};

const SKELETON_ROW = html`<tr role="row">
  ${['number rank', 'who', 'tier', 'number', 'number', 'number', 'number wide', 'number wide'].map((kind) => cell('', SKELETON, kind))}
</tr>`;

function customerRow(
  customer: Customer,
  now: string | undefined,
  state: PageState,
  actions: PageActions,
): TemplateResult {
  return html`<tr role="row">
    ${cell('Rank', count(customer.rank), 'number rank')}
    ${cell('Wallet', address(customer.wallet, state, actions), 'who')} ${cell('Tier', tierName(customer.tier), 'tier')}
    ${cell('Lifetime spend, USD', money(customer.lifetime_spend), 'number')}
    ${cell('Paid calls', count(customer.paid_calls), 'number')}
    ${cell('Credit calls', count(customer.credit_calls), 'number')}
    ${cell('First seen, UTC', instant(customer.first_payment_at, now, 'day'), 'number wide')}
    ${cell('Last seen, UTC', instant(customer.last_payment_at, now), 'number wide')}
  </tr>`;
}

/** `tier_1` as people say it. */
export function tierName(tier: string): string {
  const name = tier.replace('_', ' ');
  return name[0]!.toUpperCase() + name.slice(1);
}

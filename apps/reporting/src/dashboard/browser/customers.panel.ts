import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Customers, Customer } from './answers';
import { countText, pair, paymentsInWords } from './figures.panel';
import type { Panel, PageActions, PageState } from './page-state';
import { count, money, address, cell, instant, paymentsLink, SKELETON } from './values';

const ROWS = 10;

export const customersPanel: Panel = (state, actions) => {
  const { customers, as_of } = state.answers.customers ?? {};
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
  const { wallet, paid_calls: paid } = customer;
  const paidCalls = paymentsLink(count(paid), { filters: { wallet } }, state, actions, paymentsInWords(paid));
  return html`<tr role="row">
    ${cell('Rank', count(customer.rank), 'number rank')} ${cell('Wallet', address(wallet, state, actions), 'who')}
    ${cell('Tier', tierName(customer.tier), 'tier')}
    ${cell('Lifetime spend, USD', money(customer.lifetime_spend), 'number')} ${cell('Paid calls', paidCalls, 'number')}
    ${cell('Credit calls', count(customer.credit_calls), 'number')}
    ${cell('First seen, UTC', instant(customer.first_payment_at, now, 'day'), 'number wide')}
    ${cell('Last seen, UTC', instant(customer.last_payment_at, now), 'number wide')}
  </tr>`;
}

/** `tier_1` as text. */
function tierName(tier: string): string {
  const name = tier.replace('_', ' ');
  return name[0]!.toUpperCase() + name.slice(1);
}

const GAP = 0.3;
/** A tier with few wallets among many stays visible. */
const NARROWEST = 0.8;

/** Wallets by tier, and the call credits that are owed to them. */
export const tiersAndCreditsPanel: Panel = ({ answers }) => {
  const { tier_distribution: tiers = [], rebates } = answers.customers ?? {};
  return html`
    <div class="tiers">
      <h3>Wallets by tier</h3>
      ${tierBar(tiers)}
    </div>
    <div class="credits">
      <h3>Call credits</h3>
      <dl class="pairs">
        ${pair('Issued', count(rebates?.credits_issued))} ${pair('Redeemed', count(rebates?.credits_redeemed))}
        ${pair('Outstanding', count(rebates?.credits_outstanding))}
        ${pair('Liability, USD', money(rebates?.outstanding_face_value))}
      </dl>
    </div>
  `;
};

function tierBar(tiers: Customers['tier_distribution']): TemplateResult {
  const segments = tierSegments(tiers.map(({ wallets }) => wallets));
  return html`<svg class="tier-bar" aria-hidden="true">
      <rect class="track" width="100%" height="100%" />
      ${tiers.map(({ tier }, index) => {
        const { from, width } = segments[index]!;
        return width === 0 ? nothing : svg`<rect data-tier=${tier} x="${from}%" width="${width}%" height="100%" />`;
      })}
    </svg>
    <ul class="tier-keys">
      ${tiers.map(
        ({ tier, wallets }) =>
          html`<li>
            <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
              <rect data-tier=${tier} width="10" height="10" rx="2" /></svg
            >${tierName(tier)} <strong>${countText(wallets)}</strong>
          </li>`,
      )}
    </ul>`;
}

/**
 * Parts of one stacked bar, in percent of its length, with a gap between them.
 * @param counts wallets of each tier; a tier without any has no width
 */
export function tierSegments(counts: readonly number[]): { from: number; width: number }[] {
  const present = counts.filter((wallets) => wallets > 0);
  const total = present.reduce((sum, wallets) => sum + wallets, 0);
  const room = 100 - GAP * Math.max(0, present.length - 1);
  const wanted = counts.map((wallets) => (wallets === 0 ? 0 : Math.max(NARROWEST, (wallets / total) * room)));
  const shrink = room / (wanted.reduce((sum, width) => sum + width, 0) || room);
  let from = 0;
  return wanted.map((width) => {
    const segment = { from, width: width * shrink };
    if (width > 0) from += segment.width + GAP;
    return segment;
  });
}

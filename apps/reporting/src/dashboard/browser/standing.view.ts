import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Customers } from './answers';
import { tierName } from './customers.view';
import { countText } from './figures-text';
import { pair } from './figures.view';
import type { View } from './page-state';
import { count, money } from './values.view';
import { tierSegments } from './tier-segments';

/** How the wallets are spread over the tiers, and what is owed to them in credits. */
export const standingView: View = ({ snapshot }) => {
  const { tier_distribution: tiers = [], rebates } = snapshot?.customers ?? {};
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

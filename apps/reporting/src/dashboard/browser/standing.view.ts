import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Customers } from './answers';
import { tierName } from './customers.view';
import { countText, pair } from './figures.view';
import type { View } from './page-state';
import { count, money } from './values.view';

const GAP = 0.3;
/** A tier with few wallets among many is still to be seen. */
const NARROWEST = 0.8;

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

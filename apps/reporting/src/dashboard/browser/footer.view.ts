import { html, nothing } from 'lit-html';
import type { View } from './page-state';

export const footerView: View = ({ snapshot, signedIn }) => {
  if (!signedIn || !snapshot) return nothing;
  const { version, per_call_usd_exact, per_settlement_usd_exact } = snapshot.summary.cost_model;
  const callCost = per_call_usd_exact === null ? 'a cost by endpoint' : `${per_call_usd_exact} USD a call`;
  return html`<p>
    Margin is revenue less attributed cost: ${callCost} and ${per_settlement_usd_exact} USD a settlement (cost model
    ${version}). A day begins at 00:00 UTC. What waits, failed or needs a person is not revenue.
  </p>`;
};

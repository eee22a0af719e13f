import { html, nothing } from 'lit-html';
import type { Summary } from './answers';
import type { View } from './page-state';

const COMMAND = 'npm run agent -- recommend';

/** Nothing has ever been paid or tried: then there are no numbers to show. */
export function isEmpty({ all_time, settlement }: Summary): boolean {
  const { settled, pending, needs_reconciliation, failed } = settlement;
  const tried = settled + pending + needs_reconciliation + failed;
  return all_time.paid_calls + all_time.credit_calls + tried === 0;
}

export const firstPaymentView: View = ({ snapshot, copied }, { copy }) => {
  if (!snapshot || !isEmpty(snapshot.summary)) return nothing;
  return html`<section class="panel first" aria-labelledby="first-title">
    <h2 id="first-title">Make the first payment</h2>
    <p>An agent with play money buys one score from a local run for 0.03 USD. In a second terminal, type:</p>
    <p class="command">
      <code>${COMMAND}</code>
      <button type="button" class="plain" @click=${() => copy(COMMAND)}>
        ${copied === COMMAND ? 'Copied' : 'Copy'}
      </button>
    </p>
    <p class="muted">This page looks every two seconds and shows the numbers as soon as it has arrived.</p>
  </section>`;
};

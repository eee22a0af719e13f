import { html, nothing, type TemplateResult } from 'lit-html';
import type { Payment, PaymentStory } from './answers';
import { ABSENT } from './numbers-text';
import type { PageActions, PageState } from './page-state';
import { STATUS_WORDS } from './payment-words';
import { durationText, elapsedMs, instantText } from './times-text';
import { command, copied, money, pair, SKELETON, transactionLink } from './values';

const UNCERTAIN: ReadonlySet<Payment['status']> = new Set(['settlement_pending', 'needs_reconciliation']);
/** In the place of the hash, which the page does not know; the command takes no such word. */
const HASH = 'TRANSACTION_HASH';

/** All that is known of the payment of the row above it. */
export function paymentDetails(payment: Payment, state: PageState, actions: PageActions): TemplateResult {
  const { answers, sections } = state;
  const story = sections.payment.isCurrent && answers.payment?.id === payment.id ? answers.payment : undefined;
  return html`<tr role="row" class="details">
    <td role="cell" colspan="6">
      <dl class="facts">
        ${pair('Id', copied(payment.id, state, actions))}
        ${pair('Nonce', story ? (story.nonce === null ? 'not known' : copied(story.nonce, state, actions)) : SKELETON)}
        ${pair('Request id', copied(payment.request_id, state, actions))}
        ${pair('Payer', copied(payment.payer, state, actions))}
        ${pair('Transaction', payment.transaction_hash ? copied(payment.transaction_hash, state, actions) : ABSENT)}
        ${pair('Age', ageText(payment, answers.payments?.asOf ?? story?.as_of))}
        ${pair('Served', story ? servedText(story) : SKELETON)}
        ${pair('Reason', story ? (story.reason ?? ABSENT) : SKELETON)}
        ${pair('Cost, USD', money(story?.attributed_cost))} ${pair('Rebate, USD', money(payment.rebate_accrued))}
        ${pair('Tier', story ? (story.tier?.replace('_', ' ') ?? ABSENT) : SKELETON)}
        ${story?.credit_issued ? pair('Credit issued, USD', money(story.credit_issued.face_value)) : nothing}
      </dl>
      <ol class="story" aria-label="What became of it">
        ${story ? story.story.map((step) => stepOf(step, story)) : html`<li>${SKELETON}</li>`}
      </ol>
      ${story && UNCERTAIN.has(story.status) ? closing(story, state, actions) : nothing}
    </td>
  </tr>`;
}

function ageText({ verified_at: at }: Payment, now: string | undefined): unknown {
  return now === undefined ? SKELETON : html`${durationText(elapsedMs(at, now))} <small>since ${at}</small>`;
}

function servedText({ served }: PaymentStory): string {
  if (served === null) return 'not known';
  return served ? 'yes, the buyer has the result' : 'no';
}

function stepOf({ at, state, transaction_hash: hash, reason }: PaymentStory['story'][number], story: PaymentStory) {
  return html`<li>
    <time datetime=${at} title=${at}>${instantText(at, story.as_of, 'second')}</time>
    <strong>${state === 'verified' ? 'Verified' : STATUS_WORDS[state].word}</strong>
    ${reason ? html`<span>${reason}</span>` : nothing} ${hash ? transactionLink(story.network, hash) : nothing}
  </li>`;
}

/** The command to type where the gateway runs: the page changes nothing. */
function closing(story: PaymentStory, state: PageState, actions: PageActions): TemplateResult {
  const { payer, nonce, transaction_hash: hash } = story;
  if (nonce === null)
    return html`<p class="muted">Its nonce is not known here: <code>npm run reconcile</code> names it.</p>`;
  const closed = (outcome: string): string => `npm run payment:close -- ${payer} ${nonce} ${outcome}`;
  return html`<div class="closing">
    <p>To close it, where the gateway runs. If the money came, with its transaction:</p>
    ${command(closed(hash ?? HASH), state, actions)}
    <p>If it never will:</p>
    ${command(closed('failed'), state, actions)}
  </div>`;
}

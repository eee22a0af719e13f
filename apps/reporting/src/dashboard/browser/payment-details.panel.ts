import { html, nothing, type TemplateResult } from 'lit-html';
import type { Payment, PaymentStory } from './answers';
import { ABSENT, nameText } from './numbers-text';
import type { PageActions, PageState } from './page-state';
import { durationText, elapsedMs, instantText } from './times-text';
import { command, copied, money, pairs, SKELETON, STATUS_WORDS, transactionLink } from './values';

const UNCERTAIN: ReadonlySet<Payment['status']> = new Set(['settlement_pending', 'needs_reconciliation']);
/** In the place of the hash, which the page does not know; the command takes no such word. */
const HASH = 'TRANSACTION_HASH';

/** All that is known of the payment of the row above it. */
export function paymentDetails(payment: Payment, state: PageState, actions: PageActions): TemplateResult {
  const { answers, sections } = state;
  const story = sections.payment.isCurrent && answers.payment?.id === payment.id ? answers.payment : undefined;
  const known = (value: (story: PaymentStory) => unknown): unknown => (story ? (value(story) ?? ABSENT) : SKELETON);
  const copy = (text: string): TemplateResult => copied(text, state, actions);
  const hash = payment.transaction_hash;
  return html`<tr role="row" class="details">
    <td role="cell" colspan="6">
      ${pairs(
        [
          ['Id', copy(payment.id)],
          ['Nonce', known(({ nonce }) => (nonce === null ? 'not known' : copy(nonce)))],
          ['Request id', copy(payment.request_id)],
          ['Payer', copy(payment.payer)],
          ['Transaction', hash ? copy(hash) : ABSENT],
          ['Age', ageText(payment, answers.payments?.as_of ?? story?.as_of)],
          ['Served', known(servedText)],
          ['Reason', known(({ reason }) => reason)],
          ['Cost, USD', money(story?.attributed_cost)],
          ['Rebate, USD', money(payment.rebate_accrued)],
          ['Tier', known(({ tier }) => tier && nameText(tier))],
          story?.credit_issued ? ['Credit issued, USD', money(story.credit_issued.face_value)] : nothing,
        ],
        'facts',
      )}
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

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Subscriptions, Summary } from './answers';
import type { Answers } from './sections';
import { type Panel, hashOf, type PageActions, type PageState } from './page-state';
import { countInWords, moneyText } from './figures.panel';
import { paymentsLink, stateMark, SKELETON } from './values';
import { clockText, durationText, elapsedMs } from './times-text';

interface Health {
  level: 'good' | 'waiting' | 'trouble' | 'empty';
  /** The whole state as text; colour and mark repeat it. */
  sentence: string;
  /** The rows that the sentence is about. */
  rows?: 'settlement_pending' | 'needs_reconciliation';
  /** It is about subscriptions too. */
  subscriptions?: true;
}

interface HealthFacts {
  summary: Summary;
  oldestWaitingMs: number | undefined;
  /** Absent until it is read: a section that fails takes nothing from what is known of payments. */
  subscriptions: Subscriptions | undefined;
}

/** The target is 2 s: a projection so far behind does not catch up by itself. */
const BEHIND_SECONDS = 30;

/** The level colours the strip. */
export function healthLevel({ answers }: PageState): Health['level'] | 'loading' {
  const facts = factsOf(answers);
  return facts ? healthOf(facts).level : 'loading';
}

export const healthPanel: Panel = (state, actions) => {
  const { answers, freshness, stale, view } = state;
  const facts = factsOf(answers);
  if (!facts) return html`<p role="status"><span class="unseen">Loading the numbers.</span>${SKELETON}</p>`;
  const { level, sentence, rows, subscriptions } = healthOf(facts);
  const old = stale && freshness ? ` Not refreshed since ${clockText(freshness.asOf)} UTC.` : '';
  return html`${stateMark(level)}
    <p role="status">${sentence}${old}</p>
    ${rows ? paymentsLink('Show these payments', { status: rows }, state, actions) : nothing}
    ${subscriptions ? subscriptionsLink(hashOf(view), actions) : nothing}`;
};

function factsOf({ summary, reconciliation, subscriptions }: Partial<Answers>): HealthFacts | undefined {
  if (!summary) return undefined;
  const oldest = reconciliation?.unresolved.statuses.settlement_pending.oldest_verified_at;
  return { summary, oldestWaitingMs: oldest ? elapsedMs(oldest, summary.as_of) : undefined, subscriptions };
}

function subscriptionsLink(href: string, { showSubscriptions }: PageActions): TemplateResult {
  const show = (event: Event): void => {
    event.preventDefault();
    showSubscriptions();
  };
  return html`<a href=${href} @click=${show}>Show subscriptions</a>`;
}

/** Is anything stuck? What is wrong with subscriptions follows what is said of payments. */
export function healthOf({ summary, oldestWaitingMs, subscriptions }: HealthFacts): Health {
  const ofPayments = paymentsHealth(summary, oldestWaitingMs);
  const concerns = subscriptionConcerns(subscriptions);
  if (concerns.length === 0) return ofPayments;
  const level = ofPayments.level === 'trouble' ? 'trouble' : 'waiting';
  return { ...ofPayments, level, sentence: [ofPayments.sentence, ...concerns].join(' '), subscriptions: true };
}

function subscriptionConcerns(subscriptions: Subscriptions | undefined): string[] {
  if (!subscriptions) return [];
  const { standing, invoices, lag_seconds } = subscriptions;
  const { past_due: late } = standing;
  const isAny = { late: late > 0, disputed: invoices.disputed.usd > 0, behind: lag_seconds >= BEHIND_SECONDS };
  return [
    ...(isAny.late ? [`${countInWords(late)} ${late === 1 ? 'subscription is' : 'subscriptions are'} past due.`] : []),
    ...(isAny.disputed ? [`Invoices of ${moneyText(invoices.disputed)} USD are in dispute.`] : []),
    ...(isAny.behind ? [`Subscriptions are ${durationText(lag_seconds * 1_000)} behind billing.`] : []),
  ];
}

/**
 * Payments that need a person come before those that wait, and those before a late projection.
 * @param oldestWaitingMs age of the oldest payment without an outcome, where it is known
 */
function paymentsHealth({ settlement, lag_seconds }: Summary, oldestWaitingMs: number | undefined): Health {
  const { settled, pending, needs_reconciliation: needing, failed } = settlement;
  const waiting = pending > 0 ? waitingText(pending, oldestWaitingMs) : undefined;
  if (needing > 0) {
    const sentence = `${payments(needing)} ${needing === 1 ? 'needs' : 'need'} a person.`;
    return { level: 'trouble', sentence: [sentence, waiting].filter(Boolean).join(' '), rows: 'needs_reconciliation' };
  }
  if (waiting !== undefined) return { level: 'waiting', sentence: waiting, rows: 'settlement_pending' };
  if (lag_seconds >= BEHIND_SECONDS) {
    const sentence = `The numbers are ${durationText(lag_seconds * 1_000)} behind the ledger. Payments go on.`;
    return { level: 'waiting', sentence };
  }
  if (settled + failed === 0) return { level: 'empty', sentence: 'No payment yet.' };
  return { level: 'good', sentence: settledText(settled, failed) };
}

function waitingText(pending: number, oldestMs: number | undefined): string {
  const oldest = oldestMs === undefined ? '' : `, oldest ${durationText(oldestMs)}`;
  return `${payments(pending)} ${pending === 1 ? 'waits' : 'wait'} for settlement${oldest}.`;
}

function settledText(settled: number, failed: number): string {
  const all = settled === 1 ? 'The only payment settled.' : `All ${payments(settled)} settled.`;
  return failed === 0 ? all : `${countInWords(settled)} settled, nothing waits. ${payments(failed)} failed.`;
}

function payments(count: number): string {
  return `${countInWords(count)} ${count === 1 ? 'payment' : 'payments'}`;
}

const COMMAND = 'npm run agent -- recommend';

/** No payment has ever been tried: there are no numbers to show. */
export function isEmpty(summary: Summary | undefined): boolean {
  if (!summary) return false;
  const { all_time, settlement } = summary;
  const { settled, pending, needs_reconciliation, failed } = settlement;
  const tried = settled + pending + needs_reconciliation + failed;
  return all_time.paid_calls + all_time.credit_calls + tried === 0;
}

export const firstPaymentPanel: Panel = ({ answers, copied }, { copy }) => {
  if (!isEmpty(answers.summary)) return nothing;
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

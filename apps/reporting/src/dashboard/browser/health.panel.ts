import { html, nothing, type TemplateResult } from 'lit-html';
import { type HealthFacts, isEmpty, type PaymentGroup, type PaymentStatus } from './answers';
import type { PageState, Panel } from './page-state';
import { hashOf } from './settings';
import { clockText, countInWords, durationText, elapsedMs, moneyText, paymentsInWords } from './text';
import { command, link, paymentsLink, SKELETON, stateMark } from './values';

interface Health {
  level: 'good' | 'waiting' | 'trouble' | 'empty';
  /** The whole state as text; colour and mark repeat it. */
  sentence: string;
  rows: PaymentStatus[];
  subscriptions: boolean;
}

type Known = Required<{ [Name in 'health' | 'freshness']: NonNullable<PageState[Name]> }>;

/** The target of a projection is 2 s; heartbeats come every 5 s. */
const BEHIND_SECONDS = 5;
/** As long as the alert `PendingPayments` waits. */
const TOO_LONG_MS = 15 * 60_000;
/** With so many payments expected and none there, it is no chance: one time in twenty thousand. */
const MISSED_PAYMENTS = 10;
const HOUR_MS = 3_600_000;

const SHOW: Partial<Record<PaymentStatus, string>> = {
  settlement_pending: 'Show what waits',
  needs_reconciliation: 'Show what needs a person',
};

export function healthLevel(state: PageState): Health['level'] | 'loading' {
  const known = knownIn(state);
  return known ? healthOf(known).level : 'loading';
}

export const healthPanel: Panel = (state) => {
  const { freshness, stale, view } = state;
  const known = knownIn(state);
  if (!known) return html`<p role="status"><span class="unseen">Loading the numbers.</span>${SKELETON}</p>`;
  const { level, sentence, rows, subscriptions } = healthOf(known);
  const old = stale && freshness ? ` Not refreshed since ${clockText(freshness.asOf)} UTC.` : '';
  return html`${stateMark(level)}
    <p role="status">${sentence}${old}</p>
    ${rows.map((status) => paymentsLink(rows.length === 1 ? 'Show these payments' : SHOW[status], { status }, state))}
    ${subscriptions ? link('Show subscriptions', hashOf(view), () => state.act.goTo('subscriptions-title')) : nothing}
    ${level === 'empty' ? nothing : facts(known, state)}`;
};

function knownIn({ health, freshness }: PageState): Known | undefined {
  return health && freshness && { health, freshness };
}

function facts({ health, freshness }: Known, state: PageState): TemplateResult {
  const { failed_last_24h: failed } = health;
  const failedText = `${failed === 0 ? 'None' : countInWords(failed)} failed in 24 h`;
  const last = health.last_payment_at;
  const ago = last && durationText(elapsedMs(last, freshness.asOf));
  const all = [
    last ? `Last payment ${ago} ago, ${clockText(last)} UTC` : 'No payment settled yet',
    usualText(health),
    failed === 0 ? failedText : paymentsLink(failedText, { status: 'settlement_failed' }, state),
    group('served_and_failed', 'served and failed', state),
    group('settled_without_hash', 'settled without a hash', state),
  ];
  return html`<ul class="health-facts">
    ${all.filter((fact) => fact !== undefined).map((fact) => html`<li>${fact}</li>`)}
  </ul>`;
}

function usualText({ hours }: HealthFacts): string | undefined {
  const { since, paid_calls: paid, usual_paid_calls: usual } = hours.at(-1)!;
  if (usual === null) return undefined;
  const calls = `${countInWords(paid)} paid ${paid === 1 ? 'call' : 'calls'}`;
  return `${calls} since ${clockText(since).slice(0, 5)}, usual for the whole hour: ${countInWords(usual)}`;
}

function group(name: Exclude<PaymentGroup, 'unresolved'>, words: string, state: PageState): TemplateResult | undefined {
  const { count, has_more: hasMore } = state.answers.reconciliation?.[name] ?? { count: 0, has_more: false };
  const text = `${hasMore ? 'More than ' : ''}${countInWords(count)} ${words}`;
  return count === 0 ? undefined : paymentsLink(text, { filters: { group: name } }, state);
}

/** Is anything stuck? What is wrong with subscriptions follows what is said of payments. */
export function healthOf({ health, freshness }: Known): Health {
  const { settled, pending, needs_reconciliation: needing, failed } = health.settlement;
  const oldestMs = health.oldest_waiting_at === null ? 0 : elapsedMs(health.oldest_waiting_at, freshness.asOf);
  const isTooLong = pending > 0 && oldestMs >= TOO_LONG_MS;
  const waiting = `${paymentsInWords(pending)} ${pending === 1 ? 'waits' : 'wait'} for settlement`;
  const open: [number: number, status: PaymentStatus, text: string][] = [
    [needing, 'needs_reconciliation', `${paymentsInWords(needing)} ${needing === 1 ? 'needs' : 'need'} a person.`],
    [pending, 'settlement_pending', `${waiting}, oldest ${durationText(oldestMs)}${isTooLong ? ': too long' : ''}.`],
  ];
  const unsettled = open.filter(([number]) => number > 0);
  const ofSubscriptions = subscriptionConcerns(health);
  const concerns = [...lateness(health, freshness), ...ofSubscriptions];
  const isEmptyYet = settled + failed + pending + needing === 0;
  const calm = isEmptyYet ? 'No payment yet.' : settledText(settled, failed);
  const calmLevel = isEmptyYet ? 'empty' : 'good';
  const level = unsettled.length + concerns.length > 0 ? 'waiting' : calmLevel;
  return {
    level: needing > 0 || isTooLong ? 'trouble' : level,
    sentence: [...(unsettled.length > 0 ? unsettled.map(([, , text]) => text) : [calm]), ...concerns].join(' '),
    rows: unsettled.map(([, status]) => status),
    subscriptions: ofSubscriptions.length > 0,
  };
}

/** Figures that are not there yet, or late. */
function lateness(health: HealthFacts, { asOf, lagSeconds }: Known['freshness']): string[] {
  if (lagSeconds > BEHIND_SECONDS) {
    return [`The numbers are ${durationText(lagSeconds * 1_000)} behind: what is newest is missing.`];
  }
  const { last_payment_at: last } = health;
  if (last === null || missedPayments(health, asOf) < MISSED_PAYMENTS) return [];
  const usual = health.hours.at(-1)!.usual_paid_calls!;
  return [`No payment for ${durationText(elapsedMs(last, asOf))}, usual are ${countInWords(usual)} in this hour.`];
}

/** How many are usual in the time since the last payment, within this hour and the one before. */
function missedPayments({ hours, last_payment_at: last }: HealthFacts, now: string): number {
  return hours.reduce((sum, { since, usual_paid_calls: usual }) => {
    const from = Math.max(Date.parse(since), Date.parse(last!));
    const until = Math.min(Date.parse(since) + HOUR_MS, Date.parse(now));
    return sum + ((usual ?? 0) * Math.max(0, until - from)) / HOUR_MS;
  }, 0);
}

function subscriptionConcerns({ past_due: late, disputes }: HealthFacts): string[] {
  return [
    ...(late > 0 ? [`${countInWords(late)} ${late === 1 ? 'subscription is' : 'subscriptions are'} past due.`] : []),
    ...(disputes.open > 0 ? [`Invoices of ${moneyText(disputes.amount)} USD are in dispute.`] : []),
  ];
}

function settledText(settled: number, failed: number): string {
  const all = settled === 1 ? 'The only payment settled.' : `All ${paymentsInWords(settled)} settled.`;
  return failed === 0 ? all : `${countInWords(settled)} settled, nothing waits. ${paymentsInWords(failed)} failed.`;
}

const COMMAND = 'npm run agent -- recommend';
/** The default address of the documents for an agent. */
const AGENT_DEFAULT = 'http://localhost:8080';

export const firstPaymentPanel: Panel = (state) => {
  if (!isEmpty(state.answers.summary)) return nothing;
  return html`<section class="panel first" aria-labelledby="first-title">
    <h2 id="first-title">Make the first payment</h2>
    <p>An agent with play money buys one score from a local run for 0.03 USD. In a second terminal, type:</p>
    ${command(location.origin === AGENT_DEFAULT ? COMMAND : `${COMMAND} --url ${location.origin}`, state)}
    <p class="muted">This page looks every two seconds and shows the numbers as soon as it has arrived.</p>
  </section>`;
};

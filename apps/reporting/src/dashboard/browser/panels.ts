import { html, render } from 'lit-html';
import { barPanel, footerPanel, noticePanel, periodPanel, sectionNotice } from './bar.panel';
import { chartToolsPanel, chartPanel, chartTitlePanel } from './chart.panel';
import { cohortsPanel } from './cohorts.panel';
import { creditsPanel, creditsPeriodPanel } from './credits.panel';
import {
  customerHeadPanel,
  customersMorePanel,
  customersPanel,
  customersPeriodPanel,
  customerToolsPanel,
  tiersPanel,
} from './customers.panel';
import { endpointsPeriodPanel, endpointsPanel } from './endpoints.panel';
import { figuresPanel } from './figures.panel';
import { filesPanel } from './files.panel';
import { firstPaymentPanel, healthLevel, healthPanel } from './health.panel';
import type { PageActions, PageState, Panel } from './page-state';
import type { SectionName } from './sections';
import { paymentFindPanel, paymentMorePanel, paymentsPanel, paymentToolsPanel } from './payments.panel';
import { statementPanel, statementTitlePanel, statementToolsPanel } from './statement.panel';
import { hasSubscriptions, subscriptionsPanel, subscriptionToolsPanel } from './subscriptions.panel';
import { signInPanel } from './sign-in.panel';
import { isEmpty } from './answers';

/** The panel of each place of the document. */
const PLACES: Record<string, Panel> = {
  controls: barPanel,
  period: periodPanel,
  'sign-in': signInPanel,
  notice: noticePanel,
  health: healthPanel,
  'first-payment': firstPaymentPanel,
  'figures-notice': sectionNotice('summary'),
  figures: figuresPanel,
  'chart-notice': sectionNotice('timeseries'),
  'chart-title': chartTitlePanel,
  'chart-tools': chartToolsPanel,
  chart: chartPanel,
  'endpoints-notice': sectionNotice('endpoints'),
  'endpoints-period': endpointsPeriodPanel,
  'endpoint-rows': endpointsPanel,
  'payment-tools': paymentToolsPanel,
  'payment-find': paymentFindPanel,
  'payment-files': filesPanel,
  'payments-notice': sectionNotice('payments'),
  'payment-rows': paymentsPanel,
  'payment-more': paymentMorePanel,
  'customers-notice': sectionNotice('customers'),
  'customers-period': customersPeriodPanel,
  'customer-tools': customerToolsPanel,
  'customer-head': customerHeadPanel,
  'customer-rows': customersPanel,
  'customer-more': customersMorePanel,
  tiers: tiersPanel,
  'cohorts-notice': sectionNotice('cohorts'),
  cohorts: cohortsPanel,
  'credits-notice': sectionNotice('credits'),
  'credits-period': creditsPeriodPanel,
  credits: creditsPanel,
  'subscriptions-notice': sectionNotice('subscriptions'),
  'subscription-tools': subscriptionToolsPanel,
  'subscription-figures': subscriptionsPanel,
  'statement-title': statementTitlePanel,
  'statement-tools': statementToolsPanel,
  'statement-notice': sectionNotice('statement'),
  'statement-lines': statementPanel,
  footer: footerPanel,
};

export function place(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Renders the state; unchanged elements are not touched. */
export function show(state: PageState, actions: PageActions): void {
  mark(document.documentElement, 'data-theme', state.view.theme);
  mark(place('health'), 'data-level', healthLevel(state));
  for (const section of document.querySelectorAll<HTMLElement>('[data-section]')) {
    const { isCurrent } = state.sections[section.dataset['section'] as SectionName];
    mark(section, 'aria-busy', String(!isCurrent));
  }
  const isStatement = state.view.statement !== '';
  hide('numbers', !state.signedIn);
  hide('statement', !isStatement);
  hide('health', isStatement);
  hide('calls', isStatement || isEmpty(state.answers.summary));
  hide('subscriptions', isStatement || (!hasSubscriptions(state) && !lacksSubscriptions(state)));
  for (const [id, view] of Object.entries(PLACES)) showAt(id, view, state, actions);
}

/** Whether they alone were never read, which is said in their place. */
function lacksSubscriptions({ answers, sections, stale }: PageState): boolean {
  return !answers.subscriptions && sections.subscriptions.stale !== undefined && !stale;
}

/** An answer with other members than ours must not keep the panels beside it from being shown. */
function showAt(id: string, view: Panel, state: PageState, actions: PageActions): void {
  try {
    render(view(state, actions), place(id));
  } catch {
    render(html`<p class="problem">Not shown: the answer is not one of this service.</p>`, place(id));
  }
}

function hide(id: string, isHidden: boolean): void {
  const element = place(id);
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

function mark(element: Element, attribute: string, value: string): void {
  if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

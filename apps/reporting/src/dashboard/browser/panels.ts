import { render } from 'lit-html';
import { barPanel, footerPanel, noticePanel } from './bar.panel';
import { chartToolsPanel, chartPanel } from './chart.panel';
import { customersPanel, tiersAndCreditsPanel } from './customers.panel';
import { endpointsPeriodPanel, endpointsPanel } from './endpoints.panel';
import { figuresPanel } from './figures.panel';
import { firstPaymentPanel, isEmpty, healthLevel, healthPanel } from './health.panel';
import type { PageActions, PageState, Panel } from './page-state';
import { paymentFindPanel, paymentMorePanel, paymentsPanel, paymentToolsPanel } from './payments.panel';
import { hasSubscriptions, subscriptionsPanel, subscriptionToolsPanel } from './subscriptions.panel';
import { signInPanel } from './sign-in.panel';

/** The panel of each place of the document. */
const PLACES: Record<string, Panel> = {
  controls: barPanel,
  'sign-in': signInPanel,
  notice: noticePanel,
  health: healthPanel,
  'first-payment': firstPaymentPanel,
  figures: figuresPanel,
  'chart-tools': chartToolsPanel,
  chart: chartPanel,
  'endpoints-period': endpointsPeriodPanel,
  'endpoint-rows': endpointsPanel,
  'payment-tools': paymentToolsPanel,
  'payment-find': paymentFindPanel,
  'payment-rows': paymentsPanel,
  'payment-more': paymentMorePanel,
  'tiers-and-credits': tiersAndCreditsPanel,
  'customer-rows': customersPanel,
  'subscription-tools': subscriptionToolsPanel,
  'subscription-figures': subscriptionsPanel,
  footer: footerPanel,
};

export function place(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Renders the state; unchanged elements are not touched. */
export function show(state: PageState, actions: PageActions): void {
  mark(document.documentElement, 'data-theme', state.view.theme);
  mark(place('health'), 'data-level', healthLevel(state));
  mark(place('sections'), 'aria-busy', String(state.snapshot?.days !== state.view.days));
  place('numbers').hidden = !state.signedIn;
  place('calls').hidden = state.snapshot !== undefined && isEmpty(state.snapshot.summary);
  place('subscriptions').hidden = !hasSubscriptions(state);
  for (const [id, view] of Object.entries(PLACES)) render(view(state, actions), place(id));
}

function mark(element: Element, attribute: string, value: string): void {
  if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

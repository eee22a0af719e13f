import { render } from 'lit-html';
import { barView, footerView, noticeView } from './bar.view';
import { chartToolsView, chartView } from './chart.view';
import { customersView } from './customers.view';
import { endpointsPeriodView, endpointsView } from './endpoints.view';
import { figuresView } from './figures.view';
import { firstPaymentView, isEmpty } from './first-payment.view';
import { healthLevel, healthView } from './health.view';
import type { PageActions, PageState, View } from './page-state';
import { paymentMoreView, paymentsView, paymentToolsView } from './payments.view';
import { signInView } from './sign-in.view';
import { standingView } from './standing.view';

/** Which view fills which place of the document. */
const PLACES: Record<string, View> = {
  controls: barView,
  'sign-in': signInView,
  notice: noticeView,
  health: healthView,
  'first-payment': firstPaymentView,
  figures: figuresView,
  'chart-tools': chartToolsView,
  chart: chartView,
  'endpoints-period': endpointsPeriodView,
  'endpoint-rows': endpointsView,
  'payment-tools': paymentToolsView,
  'payment-rows': paymentsView,
  'payment-more': paymentMoreView,
  standing: standingView,
  'customer-rows': customersView,
  footer: footerView,
};

export function place(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Brings the page in line with the state; what is the same already is not touched. */
export function show(state: PageState, actions: PageActions): void {
  mark(document.documentElement, 'data-theme', state.view.theme);
  mark(place('health'), 'data-level', healthLevel(state));
  mark(place('sections'), 'aria-busy', String(state.snapshot?.days !== state.view.days));
  place('numbers').hidden = !state.signedIn;
  place('sections').hidden = state.snapshot !== undefined && isEmpty(state.snapshot.summary);
  for (const [id, view] of Object.entries(PLACES)) render(view(state, actions), place(id));
}

function mark(element: Element, attribute: string, value: string): void {
  if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

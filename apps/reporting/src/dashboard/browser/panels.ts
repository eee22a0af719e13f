import { html, render, type TemplateResult } from 'lit-html';
import { isEmpty } from './answers';
import { barPanel, footerPanel, periodPanel } from './bar.panel';
import { chart } from './chart.panel';
import { cohorts } from './cohorts.panel';
import { credits } from './credits.panel';
import { customers } from './customers.panel';
import { endpoints } from './endpoints.panel';
import { figures } from './figures.panel';
import { type Frame, frame, noticePanel, shown } from './frame';
import { firstPaymentPanel, healthLevel, healthPanel } from './health.panel';
import type { PageActions, PageState, Panel } from './page-state';
import { payments } from './payments.panel';
import { signInPanel } from './sign-in.panel';
import { statement } from './statement.panel';
import { subscriptions } from './subscriptions.panel';

const CALLS = [figures, chart, endpoints, payments, customers];
const BESIDE = [cohorts, credits];

const numbersPanel: Panel = (state, actions) => {
  const isStatement = state.view.statement !== '';
  const framed = (one: Frame): TemplateResult => frame(one, state, actions);
  return html`
    <div id="notice">${noticePanel(state, actions)}</div>
    <div id="health" class="health" data-level=${healthLevel(state)} ?hidden=${isStatement}>
      ${shown(healthPanel, state, actions)}
    </div>
    ${firstPaymentPanel(state, actions)}
    <div class="sections">
      <div id="calls" class="sections" ?hidden=${isStatement || isEmpty(state.answers.summary)}>
        ${CALLS.map(framed)}
        <div class="beside">${BESIDE.map(framed)}</div>
      </div>
      ${framed(statement)} ${framed(subscriptions)}
    </div>
  `;
};

/** The panel of each place of the document. */
const PLACES: Record<string, Panel> = {
  controls: barPanel,
  period: periodPanel,
  'sign-in': signInPanel,
  numbers: numbersPanel,
  footer: footerPanel,
};

export function place(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Renders the state; unchanged elements are not touched. */
export function show(state: PageState, actions: PageActions): void {
  const { dataset } = document.documentElement;
  if (dataset['theme'] !== state.view.theme) dataset['theme'] = state.view.theme;
  if (place('numbers').hidden === state.signedIn) place('numbers').hidden = !state.signedIn;
  for (const [id, panel] of Object.entries(PLACES)) render(shown(panel, state, actions), place(id));
}

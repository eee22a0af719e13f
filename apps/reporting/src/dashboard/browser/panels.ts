import { html, nothing, render, type TemplateResult } from 'lit-html';
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
import type { PageState, Panel } from './page-state';
import { payments } from './payments.panel';
import { statement } from './statement.panel';
import { subscriptions } from './subscriptions.panel';
import { command } from './values';

const CALLS = [figures, chart, endpoints, payments, customers];
const BESIDE = [cohorts, credits];

const numbersPanel: Panel = (state) => {
  const isStatement = state.view.statement !== '';
  const framed = (one: Frame): TemplateResult => frame(one, state);
  return html`
    <div id="notice">${noticePanel(state)}</div>
    <div id="health" class="health" data-level=${healthLevel(state)} ?hidden=${isStatement}>
      ${shown(healthPanel, state)}
    </div>
    ${firstPaymentPanel(state)}
    <div class="sections">
      <div id="calls" class="sections" ?hidden=${isStatement || isEmpty(state.answers.summary)}>
        ${CALLS.map(framed)}
        <div class="beside">${BESIDE.map(framed)}</div>
      </div>
      ${framed(statement)} ${framed(subscriptions)}
    </div>
  `;
};

/** Makes a token, shows it so that it can be entered here, and starts with it. */
const COMMAND = 'export ADMIN_TOKEN="$(openssl rand -hex 24)"; echo "$ADMIN_TOKEN"; npm start';

const signInPanel: Panel = (state) => {
  const { signedIn, signInRefusal, loading } = state;
  if (signedIn) return nothing;
  if (signInRefusal?.kind === 'not_configured') return notConfigured(state);
  const isWrong = signInRefusal?.kind === 'wrong_token';
  const problem = isWrong
    ? 'This is not the operator token of this service.'
    : signInRefusal && `The token could not be tried: ${signInRefusal.message}. Try again in a moment.`;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    state.act.signIn((given.get('token') as string).trim(), given.has('keep'));
  };
  return html`<form class="panel sign-in" @submit=${submit}>
    <h2>Operator access</h2>
    <p id="token-origin">
      The token is the value of <code>ADMIN_TOKEN</code> where the service runs. It stays in the memory of this tab and
      is sent to this address alone.
    </p>
    <label for="token">Operator token</label>
    <input
      id="token"
      name="token"
      type="password"
      autocomplete="off"
      spellcheck="false"
      required
      aria-describedby="token-origin token-problem"
      aria-invalid=${isWrong}
    />
    <p id="token-problem" class="problem">${problem}</p>
    <label class="check"><input type="checkbox" name="keep" /> Keep for this tab, until it is closed</label>
    <button type="submit" class="primary" ?disabled=${loading}>${loading ? 'Asking …' : 'Show the numbers'}</button>
  </form>`;
};

function notConfigured(state: PageState): TemplateResult {
  return html`<div class="panel sign-in">
    <h2>No operator token is configured</h2>
    <p>
      This service shows its revenue to nobody until the variable <code>ADMIN_TOKEN</code> is set where it runs, to at
      least 24 characters. For a local run, which prints the token that it makes:
    </p>
    ${command(COMMAND, state)}
    <button type="button" class="primary" @click=${state.act.signOut}>Enter the token</button>
  </div>`;
}

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
export function show(state: PageState): void {
  const { style } = document.documentElement;
  const scheme = state.view.theme === 'auto' ? '' : state.view.theme;
  if (style.colorScheme !== scheme) style.colorScheme = scheme;
  if (place('numbers').hidden === state.signedIn) place('numbers').hidden = !state.signedIn;
  for (const [id, panel] of Object.entries(PLACES)) render(shown(panel, state), place(id));
}

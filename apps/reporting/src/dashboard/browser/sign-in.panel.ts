import { html, nothing, type TemplateResult } from 'lit-html';
import type { PageActions, PageState, Panel } from './page-state';
import { type Refusal, refusalText } from './refusals';
import { command } from './values';

/** Makes a token, shows it so that it can be entered here, and starts with it. */
const COMMAND = 'export ADMIN_TOKEN="$(openssl rand -hex 24)"; echo "$ADMIN_TOKEN"; npm start';

export const signInPanel: Panel = (state, actions) => {
  const { signedIn, signInRefusal, loading } = state;
  if (signedIn) return nothing;
  if (signInRefusal?.kind === 'not_configured') return notConfigured(state, actions);
  return html`<form class="panel sign-in" @submit=${(event: SubmitEvent) => submit(event, actions)}>
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
      aria-invalid=${signInRefusal?.kind === 'wrong_token'}
    />
    <p id="token-problem" class="problem">${signInRefusal && problemText(signInRefusal)}</p>
    <label class="check"><input type="checkbox" name="keep" /> Keep for this tab, until it is closed</label>
    <button type="submit" class="primary" ?disabled=${loading}>${loading ? 'Asking …' : 'Show the numbers'}</button>
  </form>`;
};

function submit(event: SubmitEvent, { signIn }: PageActions): void {
  event.preventDefault();
  const given = new FormData(event.target as HTMLFormElement);
  signIn((given.get('token') as string).trim(), given.has('keep'));
}

function problemText(refusal: Refusal): string {
  if (refusal.kind === 'wrong_token') return 'This is not the operator token of this service.';
  return `The token could not be tried: ${refusalText(refusal)}. Try again in a moment.`;
}

function notConfigured(state: PageState, actions: PageActions): TemplateResult {
  return html`<div class="panel sign-in">
    <h2>No operator token is configured</h2>
    <p>
      This service shows its revenue to nobody until the variable <code>ADMIN_TOKEN</code> is set where it runs, to at
      least 24 characters. For a local run, which prints the token that it makes:
    </p>
    ${command(COMMAND, state, actions)}
    <button type="button" class="primary" @click=${actions.signOut}>Enter the token</button>
  </div>`;
}

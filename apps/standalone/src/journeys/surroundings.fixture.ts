import type { Ledger } from '@evenkeel/facilitator';
import { freePort } from '@evenkeel/services/free-port';
import { LocalRun } from '../e2e/local-run.fixture';
import { FacilitatorProgram } from '../e2e/facilitator-program.fixture';
import { Program } from '../e2e/programs.fixture';

/** All that a journey knows of the product it goes through. */
export interface Surroundings {
  /** Where it answers. */
  url: string;
  /** The development facilitator that settles its payments. */
  facilitatorUrl: string;
  /** The development Stripe, whose hosted pages people pay on. */
  stripeUrl: string;
  adminToken: string;
}

const ADMIN_TOKEN = 'the word that operators know';

/** One that runs elsewhere, by `JOURNEYS_URL` and its three companions; else standalone, which starts here. */
export async function findSurroundings(): Promise<Surroundings & { close(): Promise<void> }> {
  const { JOURNEYS_URL: url, JOURNEYS_ADMIN_TOKEN: adminToken } = process.env;
  const { JOURNEYS_FACILITATOR_URL: facilitatorUrl, JOURNEYS_STRIPE_URL: stripeUrl } = process.env;
  if (url === undefined) return startStandalone();
  if (!facilitatorUrl || !stripeUrl || !adminToken) {
    throw new Error(
      'JOURNEYS_URL needs JOURNEYS_FACILITATOR_URL, JOURNEYS_STRIPE_URL and JOURNEYS_ADMIN_TOKEN beside it.',
    );
  }
  return { url, facilitatorUrl, stripeUrl, adminToken, close: async () => undefined };
}

async function startStandalone() {
  const PORT = String(await freePort());
  const webhook = `http://localhost:${PORT}/v1/billing/webhook/stripe`;
  const stripe = Program.script('stripe', {}, ['--port', '0', '--webhook', webhook, '--json']);
  const [facilitator, [line]] = await Promise.all([FacilitatorProgram.start(), stripe.prints(/^\{"ready":true.*\}$/m)]);
  const { ready: _, url: stripeUrl, ...settings } = JSON.parse(line) as { ready: true; url: string };
  const local = new LocalRun({ ...settings, ...facilitator.settings, ADMIN_TOKEN, RATE_LIMIT_SCALE: '1000', PORT });
  const url = await local.url();
  return { url, facilitatorUrl: facilitator.url, stripeUrl, adminToken: ADMIN_TOKEN, close: () => local.close() };
}

/** The facilitator's calls for one payment. */
export async function ledgerOf({ facilitatorUrl }: Surroundings, nonce: string): Promise<Ledger> {
  return (await (await fetch(`${facilitatorUrl}/ledger?nonce=${nonce}`)).json()) as Ledger;
}

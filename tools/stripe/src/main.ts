import { Command, integerOption, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { loadConfig } from '@evenkeel/platform/config';
import { NotEquals } from 'class-validator';
import { DevelopmentStripe } from './development-stripe';

/** The settings of the process. */
class StripeConfig {
  @NotEquals('production', { message: 'NODE_ENV must not be production: this Stripe takes no real money' })
  NODE_ENV = 'development';
}

const STRIPE = new Command('npm run stripe --')
  .description(
    `Development Stripe: its API, hosted pages and signed webhooks as far as billing uses them, in memory. Never for production.
It prints what to export for a billing service, and ends on SIGTERM or SIGINT.`,
  )
  .option(
    '--host <host>',
    'name or address of this machine to listen on, part of the addresses that it hands out',
    '127.0.0.1',
  )
  .addOption(integerOption('--port <n>', 'its port; 0 takes a free one', 0, 65_535).default(12_111))
  .option('--webhook <url>', 'where signed events go', 'http://localhost:8080/v1/billing/webhook/stripe')
  .option('--json', 'prints one line of JSON when it is ready, for programs', false);

startCommand(process.env, (args, env, streams) =>
  runCommand(STRIPE, args, streams, async ({ webhook, json, host, port }, { out }) => {
    loadConfig(StripeConfig, env);
    const stripe = await DevelopmentStripe.start({ host, port });
    stripe.sendTo(webhook);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stripe.close());
    const settings = stripe.settings();
    const lines = Object.entries(settings).map(([name, value]) => `export ${name}=${value}\n`);
    out(
      json
        ? `${JSON.stringify({ ready: true, url: stripe.url, ...settings })}\n`
        : `The development Stripe listens. For a billing service:

${lines.join('')}
Events go to ${webhook}. Open ${stripe.url} for checkout pages, unpaid invoices, and to move its clock.
`,
    );
  }),
);

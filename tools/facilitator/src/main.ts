import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { loadConfig } from '@evenkeel/platform/config';
import { FacilitatorConfig } from './facilitator.config';
import { startFacilitator } from './start-facilitator';

const FACILITATOR = new CommandLine({
  call: 'npm run facilitator',
  about: `Development facilitator of x402: verifies signatures for real and settles on a chain of its own, in memory.
It prints one line of JSON when it is ready, and ends on SIGTERM or SIGINT. Never for production.`,
  options: {},
  environment: {
    FACILITATOR_HOST: 'name or address of this machine to listen on (127.0.0.1)',
    FACILITATOR_PORT: 'its port; 0 takes a free one (8402)',
    FACILITATOR_CONTROL: 'on or off: POST /control and GET /ledger, for tests (off)',
    FACILITATOR_BLOCK_MS: 'milliseconds between blocks (2000)',
    X402_NETWORK: 'eip155:8453 or eip155:84532 (eip155:8453)',
  },
  read: () => ({}),
});

startCommand(process.env, (args, env, streams) =>
  runCommand(FACILITATOR, args, streams, async (_none, { out }) => {
    const facilitator = await startFacilitator(loadConfig(FacilitatorConfig, env).options);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void facilitator.close());
    out(`${JSON.stringify({ ready: true, url: facilitator.url })}\n`);
  }),
);

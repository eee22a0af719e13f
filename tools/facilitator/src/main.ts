import { CHAINS } from '@evenkeel/contracts';
import { Command, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { IsPort, IsSwitch, loadConfig } from '@evenkeel/platform/config';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Min, NotEquals } from 'class-validator';
import { startFacilitator } from './start-facilitator';

/** Everything the facilitator process reads from the environment. */
class FacilitatorConfig {
  @NotEquals('production', { message: 'NODE_ENV must not be production: this facilitator moves no real money' })
  NODE_ENV = 'development';

  /** A name or address of this machine, which is part of its own address too: of a container the name that others call it by. */
  @IsString() FACILITATOR_HOST = '127.0.0.1';
  @IsPort() FACILITATOR_PORT = 8402;

  /** Opens the addresses that only tests need. */
  @IsSwitch() FACILITATOR_CONTROL = false;

  /** Time between blocks. */
  @Type(() => Number) @IsInt() @Min(10) FACILITATOR_BLOCK_MS = 2_000;

  @IsIn(CHAINS.map(({ caip2 }) => caip2)) X402_NETWORK = 'eip155:8453';
}

const FACILITATOR = new Command('npm run facilitator --')
  .description(
    `Development facilitator of x402: verifies signatures for real and settles on a chain of its own, in memory.
It prints one line of JSON when it is ready, and ends on SIGTERM or SIGINT. Never for production.`,
  )
  .addHelpText(
    'after',
    `
Environment:
  FACILITATOR_HOST      name or address of this machine to listen on (127.0.0.1)
  FACILITATOR_PORT      its port; 0 takes a free one (8402)
  FACILITATOR_CONTROL   on or off: POST /control and GET /ledger, for tests (off)
  FACILITATOR_BLOCK_MS  milliseconds between blocks (2000)
  X402_NETWORK          eip155:8453 or eip155:84532 (eip155:8453)`,
  );

startCommand(process.env, (args, env, streams) =>
  runCommand(FACILITATOR, args, streams, async (_none, { out }) => {
    const config = loadConfig(FacilitatorConfig, env);
    const facilitator = await startFacilitator({
      host: config.FACILITATOR_HOST,
      port: config.FACILITATOR_PORT,
      chain: CHAINS.find(({ caip2 }) => caip2 === config.X402_NETWORK)!,
      control: config.FACILITATOR_CONTROL,
      blockMs: config.FACILITATOR_BLOCK_MS,
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void facilitator.close());
    out(`${JSON.stringify({ ready: true, url: facilitator.url })}\n`);
  }),
);

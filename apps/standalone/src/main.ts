import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { Command, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { redacted, type Environment } from '@evenkeel/platform/config';
import { closeOnSignal } from '@evenkeel/platform/http';
import { createLogger } from '@evenkeel/platform/observability';
import { banner } from './banner';
import { startStandalone } from './start-standalone';

const START = new Command('npm start --')
  .description(
    'Runs the whole product in one process, on one port, with an embedded database and a development facilitator.',
  )
  .addHelpText(
    'after',
    `
Environment (the README of each app lists the rest):
  PORT              8080
  HOST              127.0.0.1, where it listens; 0.0.0.0 for the whole network
  INTERNAL_PORT     8081, health and metrics on 127.0.0.1
  DATA_DIR          .data
  DATABASE_URL      a PostgreSQL server in place of the embedded one
  FACILITATOR_URL   a facilitator in place of the development one
  FACILITATOR_PORT  8402`,
  );

async function start(env: Environment): Promise<void> {
  const startedAt = performance.now();
  const report = (step: string): void => {
    process.stdout.write(`  ${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(5)} s  ${step}\n`);
  };
  const logger = createLogger('standalone', { level: 'warn', secretFields: HTTP_CONVENTIONS.secretHeaders });
  const standalone = await startStandalone(env, { logger, report });
  closeOnSignal(standalone, logger);
  process.stdout.write(redacted(banner(standalone)));
}

startCommand(process.env, (args, env, streams) =>
  runCommand(
    START,
    args,
    streams,
    async (_none, { err }) => {
      await start(env).catch((error: Error) => {
        err(`\nEvenkeel could not start. ${error.message}\n`);
        process.exit(1);
      });
    },
    { badUsage: 1, failed: 1 },
  ),
);

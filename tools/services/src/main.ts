import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { APP_NAMES } from '@evenkeel/contracts';
import { startServices, stopServices, VARIABLES, type RunningService, type ServiceName } from './backing-services';
import { ensureDatabase } from './postgres/ensure-database';

/** Browsers are for tests alone. */
const ALL = (Object.keys(VARIABLES) as ServiceName[]).filter((name) => name !== 'browser');

const HELP = `Starts what the services of a production run need, each on a free port of 127.0.0.1 and with a temporary folder:
PostgreSQL, with a database for each service, Redis and Apache Kafka. Prints the variables to export, and stops all of it on
Ctrl-C. Nothing is kept.

Usage
  npm run services [-- postgres redis kafka]    those that are named, or all

What is missing (Redis, Java 17, Maven) is installed from Debian's packages as root, else the command is said. Kafka is
fetched once, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel.

Options
  --help                 this text
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  if (values.help) return void process.stdout.write(HELP);

  const names = positionals.length > 0 ? positionals.map(serviceName) : ALL;
  const wish = wishToStop();
  process.stderr.write(`Starting ${names.join(', ')}…\n`);
  const services = await startServices(names, ({ name }) => {
    process.stderr.write(`${name} is up after ${(performance.now() / 1000).toFixed(1)} s.\n`);
  });
  for (const service of services) process.stdout.write(await exportLines(service));
  process.stderr.write('Ctrl-C stops them.\n');

  // Servers beside us do not keep this process alive.
  const alive = setInterval(() => undefined, 60_000);
  await wish;
  clearInterval(alive);
  await stopServices(services);
}

async function exportLines({ name, address }: RunningService): Promise<string> {
  if (name !== 'postgres') return exportLine(VARIABLES[name], address);
  const lines = await Promise.all(
    APP_NAMES.map(async (app) => {
      const url = await ensureDatabase(address, app.replaceAll('-', '_'));
      return `# in the terminal of ${app}:\n${exportLine(VARIABLES.postgres, url)}`;
    }),
  );
  return lines.join('');
}

function exportLine(variable: string, value: string): string {
  return `export ${variable}='${value}'\n`;
}

function serviceName(text: string): ServiceName {
  const name = ALL.find((known) => known === text);
  if (name) return name;
  throw new Error(`There is no service ${text}: choose from ${ALL.join(', ')}, or see --help.`);
}

function wishToStop(): Promise<unknown> {
  return Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});

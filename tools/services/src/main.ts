import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { startServices, stopServices, VARIABLES } from './backing-services';
import { ensureDatabase } from './postgres/start-postgres';

const HELP = `Starts what the services of a production run need, each on a free port of 127.0.0.1 and with a temporary folder:
PostgreSQL, with a database for each service, Redis and Apache Kafka. Prints the variables to export in the terminal of each
service, with keys made for this run and ports that do not collide, and stops all of it on Ctrl-C. Nothing is kept.
Beside them: npm run topics:create, once, makes the topics; npm run facilitator takes the payments of trials.

What is missing (Redis, Java 17, Maven) is installed from Debian's packages as root, else the command is said. Kafka is
fetched once, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel.
`;

async function main(): Promise<void> {
  if (process.argv.length > 2) return void process.stdout.write(HELP);
  const wish = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  process.stderr.write('Starting PostgreSQL, Redis and Kafka…\n');
  const services = await startServices(['postgres', 'redis', 'kafka']);
  for (const { name, address } of services) {
    if (name !== 'postgres') exportIn('in every terminal', { [VARIABLES[name]]: address });
    else
      for (const app of APP_NAMES) {
        const url = await ensureDatabase(address, app.replaceAll('-', '_'));
        exportIn(`in the terminal of ${app}`, { DATABASE_URL: url, ...settingsOf(app) });
      }
  }
  process.stderr.write('Ctrl-C stops them.\n');

  // Servers beside us do not keep this process alive.
  const alive = setInterval(() => undefined, 60_000);
  await wish;
  clearInterval(alive);
  await stopServices(services);
}

function exportIn(terminal: string, variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  process.stdout.write(`# ${terminal}:\n${lines.join('')}`);
}

const FACILITATOR = 'http://127.0.0.1:8402';
/** Takes the payments of trials; its key does not exist. */
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const ACCOUNTS = 'http://localhost:3001';

const newKeys = (): string => `trial:${randomBytes(32).toString('base64')}`;

/** Settings of a service besides its database, with its own ports for health and metrics: all run on one machine. */
function settingsOf(app: AppName): Record<string, string> {
  const first = 9_090 + 2 * APP_NAMES.indexOf(app);
  const own: Record<AppName, Record<string, string>> = {
    'agent-gateway': {
      X402_PAY_TO: PAY_TO,
      FACILITATOR_URL: FACILITATOR,
      X402_RPC_URL: `${FACILITATOR}/rpc`,
      ANSWER_KEYS: newKeys(),
      RECEIPT_KEYS: newKeys(),
    },
    accounts: { JWT_KEYS: newKeys(), REFRESH_TOKEN_KEYS: newKeys() },
    // It takes the access tokens of this issuer, whose keys are there.
    billing: { PUBLIC_BASE_URL: ACCOUNTS },
    reporting: { ADMIN_TOKEN: randomBytes(24).toString('base64url') },
  };
  return { INTERNAL_PORT: String(first), WORKER_INTERNAL_PORT: String(first + 1), ...own[app] };
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});

import { once } from 'node:events';
import { BadUsage, CommandLine, runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import { startServices, stopServices, VARIABLES, type ServiceName } from './backing-services';

/** A browser is for tests alone. */
const ALL = (Object.keys(VARIABLES) as ServiceName[]).filter((name) => name !== 'browser');

const SERVICES = new CommandLine({
  call: 'npm run services',
  about: `Starts what the services of a production run need, each on a free port of 127.0.0.1 and with a temporary folder:
PostgreSQL, Redis and Apache Kafka. Prints the variables to export, and stops all of it on Ctrl-C. Nothing is kept.`,
  usage: ['npm run services [-- postgres redis kafka]    those that are named, or all'],
  parts: {
    'What is missing':
      'Redis, Java 17 and Maven are installed from Debian packages as root, else the command is said. Kafka is\n' +
      'fetched once, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel.',
  },
  options: {},
  takesArguments: true,
  read: (_values, given) => (given.length > 0 ? given.map(serviceName) : ALL),
});

async function offerServices(names: ServiceName[], { out, err }: Streams): Promise<void> {
  const wish = wishToStop();
  err(`Starting ${names.join(', ')}…\n`);
  const services = await startServices(names, ({ name }) => {
    err(`${name} is up after ${(performance.now() / 1000).toFixed(1)} s.\n`);
  });
  for (const { name, address } of services) out(`export ${VARIABLES[name]}='${address}'\n`);
  err('Ctrl-C stops them.\n');

  // Servers beside us do not keep this process alive.
  const alive = setInterval(() => undefined, 60_000);
  await wish;
  clearInterval(alive);
  await stopServices(services);
}

function serviceName(text: string): ServiceName {
  const name = ALL.find((known) => known === text);
  if (name) return name;
  throw new BadUsage(`There is no service ${text}: choose from ${ALL.join(', ')}.`);
}

function wishToStop(): Promise<unknown> {
  return Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
}

startCommand(process.env, (args, _env, streams) => runCommand(SERVICES, args, streams, offerServices));

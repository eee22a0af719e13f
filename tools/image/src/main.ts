import { join } from 'node:path';
import { BadUsage, CommandLine, runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { startKafka, startRedis, startTemporaryPostgres } from '@evenkeel/services';
import { Client } from 'pg';
import { checkImages } from './checks/check-images';

const ROOT = join(__dirname, '../../..');
const PROJECTS = [
  ...['tools/events', 'tools/facilitator', 'tools/stripe'],
  ...['apps/agent-gateway', 'apps/accounts', 'apps/billing', 'apps/reporting'],
];

const CHECK = new CommandLine({
  call: 'npm run image:check',
  about: `Performs docker/Dockerfile without an engine, with the Node and the npm of this machine: for each image the stages in clean
folders, then every program of docker/compose.yaml from the results, with its settings and secrets, against PostgreSQL,
Redis and Kafka. Programs run as another user, on a file system that is only read, without a shell.`,
  usage: [
    'npm run image:check                     every image',
    'npm run image:check -- apps/billing     that image, those of what its programs call, and their programs',
  ],
  options: {},
  takesArguments: true,
  ends: 'Exit code 1 when something is wrong: a sentence for each. It needs root, or a kernel that lets users have namespaces.',
  read: (_none, given) => {
    const unknown = given.find((project) => !PROJECTS.includes(project));
    if (unknown) throw new BadUsage(`There is no image of ${unknown}: choose from ${PROJECTS.join(', ')}.`);
    return { projects: given.length > 0 ? PROJECTS.filter((project) => given.includes(project)) : PROJECTS };
  },
});

async function check(projects: readonly string[], env: Environment, { out, err }: Streams): Promise<number> {
  const began = performance.now();
  const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(0).padStart(4);
  const say = (line: string): void => out(`${seconds()} s  ${line}\n`);
  say('starting PostgreSQL, Redis and Kafka');
  await using postgres = await startTemporaryPostgres();
  await using redis = await startRedis();
  await using kafka = await startKafka();
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const servers = { postgres: postgres.url, redis: redis.url, kafka: kafka.brokers };
    const offences = await checkImages({ root: ROOT, servers, projects, env, say, query: (sql) => client.query(sql) });
    for (const offence of offences) err(`${offence}\n`);
    if (offences.length === 0) say('nothing is wrong.');
    return offences.length === 0 ? 0 : 1;
  } finally {
    await client.end();
  }
}

startCommand(process.env, (args, env, streams) =>
  runCommand(CHECK, args, streams, ({ projects }, safe) => check(projects, env, safe)),
);

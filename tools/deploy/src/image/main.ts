import { join } from 'node:path';
import { runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { startKafka, startRedis, startTemporaryPostgres } from '@evenkeel/services';
import { Client } from 'pg';
import { checkImages } from './checks/check-images';
import { CHECK } from './command';

const ROOT = join(__dirname, '../../../..');
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

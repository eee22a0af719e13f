import { deadLetterTopic, STREAM_PARTITIONS, STREAMS } from '@evenkeel/contracts';
import type { Admin } from 'kafkajs';
import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { BrokerAccess, ServiceConfig } from '../config';
import { kafkaClient } from '../messaging/kafka/kafka-client';
import { appliedMigrations, assertOwnSession, foreignMigration, likeThePool, migrationNames } from '../persistence';
import { failureSentence, off, ok, wrong, type Finding, type Probe } from './finding';

/** The database of a service, and its schema. */
export function databaseProbe({ DATABASE_URL }: ServiceConfig, options: DataSourceOptions): Probe {
  const settings = 'DATABASE_URL';
  return { subject: 'database', settings, examine: (stepMs) => examineDatabase(DATABASE_URL, options, stepMs) };
}

async function examineDatabase(url: string, options: DataSourceOptions, stepMs: number): Promise<Finding[]> {
  const { hostname, port } = new URL(url);
  const name = `The database at ${hostname}:${port || 5_432}`;
  const limits = { ...likeThePool(options), connectionTimeoutMillis: stepMs, query_timeout: stepMs };
  const client = new Client(limits);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertOwnSession(client, new Client(limits));
    const lost = await lostSetting(client, limits.options);
    if (lost !== undefined) {
      const drops = 'a pooler before it drops what connections ask for at their start';
      const remedy = 'Give the user of DATABASE_URL its settings by ALTER ROLE: docs/scaling.md';
      return [wrong('database', `${name}: ${drops}, so ${lost}. ${remedy}.`)];
    }
    return [
      ok('database', `${name} answers.`),
      schemaFinding(migrationNames(options), await appliedMigrations(client)),
    ];
  } catch (error) {
    return [wrong('database', failureSentence(error, { name, settings: 'DATABASE_URL' }))];
  } finally {
    // Not waited for: a server that hangs would not say goodbye either.
    void client.end().catch(() => undefined);
  }
}

/** What does not hold on a connection that asked for it, in words. @param options as `-c name=value` */
async function lostSetting(client: Client, options = ''): Promise<string | undefined> {
  const settingOf = async (name: string) => {
    const { rows } = await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    return rows[0]!.value;
  };
  if ((await settingOf('statement_timeout')) === '0') return 'no statement has a limit';
  for (const [, name = '', asked] of options.matchAll(/-c (\w+)=(\S+)/g)) {
    const value = await settingOf(name);
    if (value !== asked) return `${name} is ${value}`;
  }
  return undefined;
}

function schemaFinding(known: readonly string[], applied: ReadonlySet<string>): Finding {
  const missing = known.filter((name) => !applied.has(name)).join(', ');
  const unknown = [...applied].filter((name) => !known.includes(name)).join(', ');
  const foreign = foreignMigration(known, applied);
  if (foreign !== undefined) {
    const says = `It is that of another service (${foreign}): correct the name of the database in DATABASE_URL.`;
    return wrong('schema', says);
  }
  if (missing !== '') return wrong('schema', `It lacks ${missing}: run the migrate program of this release.`);
  if (unknown !== '') {
    const remedy = 'run the one that made it, unless this is a rollback';
    return wrong('schema', `It has ${unknown}, which this release does not know: ${remedy}.`);
  }
  return ok('schema', `All ${known.length} migrations are applied.`);
}

interface BrokerProbeOptions {
  /** Name of the app. */
  service: string;
  /** Whether its worker can do nothing without brokers. */
  required?: boolean;
}

/** The brokers of a service, and the topics that it writes and reads. */
export function brokerProbe(config: ServiceConfig, options: BrokerProbeOptions): Probe {
  const settings = 'KAFKA_BROKERS, KAFKA_TLS, KAFKA_CA_FILE and the login of KAFKA_SASL_…';
  const examine = async (stepMs: number): Promise<Finding[]> => {
    if (config.KAFKA_BROKERS) return examineBrokers(config.kafka!, options.service, { settings, stepMs });
    const alone = 'KAFKA_BROKERS is not set: events stay within the process, and no other service gets them';
    const isNeeded = options.required === true || config.NODE_ENV === 'production';
    return [isNeeded ? wrong('kafka', `${alone}. Set host:port of your brokers.`) : off('kafka', `${alone}.`)];
  };
  return { subject: 'kafka', settings, examine };
}

async function examineBrokers(
  access: BrokerAccess,
  service: string,
  { settings, stepMs }: { settings: string; stepMs: number },
): Promise<Finding[]> {
  const name = `Kafka at ${access.brokers.join(',')}`;
  const silent = { warn: () => undefined, error: () => undefined };
  // Two brokers are tried, then it is said.
  const limits = { connectionTimeout: stepMs, authenticationTimeout: stepMs, requestTimeout: stepMs };
  const retry = { initialRetryTime: 50, maxRetryTime: 100, retries: 1 };
  const admin = kafkaClient(access, 'doctor', silent, { ...limits, retry }).admin();
  try {
    await admin.connect();
    return [ok('kafka', `${name} answers.`), await topicsFinding(admin, topicsOf(service))];
  } catch (error) {
    return [wrong('kafka', failureSentence(error, { name, settings }))];
  } finally {
    void admin.disconnect().catch(() => undefined);
  }
}

/** Those that it writes, those that it reads, and where it puts what it cannot apply. */
function topicsOf(service: string): string[] {
  return STREAMS.flatMap(({ topic, owner, readers }) => {
    const reads = readers.some((reader) => reader === service);
    return [...(owner === service || reads ? [topic] : []), ...(reads ? [deadLetterTopic(topic)] : [])];
  });
}

async function topicsFinding(admin: Admin, names: readonly string[]): Promise<Finding> {
  const there = new Set(await admin.listTopics());
  const missing = names.filter((name) => !there.has(name));
  if (missing.length > 0) {
    return wrong('topics', `There is no ${missing.join(', ')}: run npm run topics:create, or let this login see them.`);
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
  const others = topics.filter(({ partitions }) => partitions.length !== STREAM_PARTITIONS);
  if (others.length > 0) {
    const found = others.map(({ name, partitions }) => `${name} (${partitions.length})`).join(', ');
    const remedy = 'Move its events to a new version of the topic';
    return wrong('topics', `Not ${STREAM_PARTITIONS} partitions: ${found}. ${remedy}.`);
  }
  return ok('topics', `${names.join(', ')}, ${STREAM_PARTITIONS} partitions each.`);
}

/** The store that processes share for their rate limits. */
export function redisProbe({ REDIS_URL }: ServiceConfig): Probe {
  return { subject: 'redis', settings: 'REDIS_URL', examine: (stepMs) => examineRedis(REDIS_URL, stepMs) };
}

async function examineRedis(url: string | undefined, stepMs: number): Promise<Finding[]> {
  if (url === undefined) return [off('redis', 'REDIS_URL is not set: each process counts rate limits for itself.')];
  const { hostname, port, pathname } = new URL(url);
  const name = `Redis at ${hostname}:${port || 6_379}`;
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: stepMs,
    commandTimeout: stepMs,
  });
  // The reason of a failed connection comes here, and only "Connection is closed" where it was asked for.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    // The client does not tell when this fails.
    await redis.select(Number(pathname.slice(1)) || 0);
    // As the limits are counted: by a script that writes.
    await redis.eval(`return redis.call('SET', KEYS[1], '', 'PX', 1)`, 1, 'rate:doctor');
    return [ok('redis', `${name} answers.`)];
  } catch (error) {
    return [wrong('redis', failureSentence(reason ?? error, { name, settings: 'REDIS_URL' }))];
  } finally {
    redis.disconnect();
  }
}

import { deadLetterTopic, STREAM_PARTITIONS, STREAMS } from '@evenkeel/contracts';
import type { Admin } from 'kafkajs';
import type { BrokerAccess, ServiceConfig } from '../config';
import { kafkaClient } from '../messaging/kafka/kafka-client';
import { failureSentence } from './failure-sentence';
import { off, ok, wrong, type Finding, type Probe } from './finding';

interface BrokerProbeOptions {
  /** Name of the app. */
  service: string;
  /** Whether its worker can do nothing without brokers. */
  required?: boolean;
}

/** The brokers of a service, and the topics that it writes and reads. */
export function brokerProbe(config: ServiceConfig, options: BrokerProbeOptions): Probe {
  const settings = 'KAFKA_BROKERS and KAFKA_TLS';
  return { subject: 'kafka', settings, examine: (stepMs) => examineBrokers(config, options, stepMs) };
}

async function examineBrokers(
  config: ServiceConfig,
  { service, required }: BrokerProbeOptions,
  stepMs: number,
): Promise<Finding[]> {
  if (!config.KAFKA_BROKERS) {
    const alone = 'KAFKA_BROKERS is not set: events stay within the process, and no other service gets them';
    const isNeeded = required === true || config.NODE_ENV === 'production';
    return [isNeeded ? wrong('kafka', `${alone}. Set host:port of your brokers.`) : off('kafka', `${alone}.`)];
  }
  let access: BrokerAccess;
  try {
    access = config.kafka!;
  } catch {
    return [wrong('kafka', 'KAFKA_CA_FILE must be a file that this process can read: correct its path, or mount it.')];
  }
  const { brokers, tls, login } = access;
  const target = {
    name: `Kafka at ${brokers.join(',')}`,
    settings: `KAFKA_BROKERS, KAFKA_TLS (${tls ? 'on' : 'off'}) and the login of KAFKA_SASL_…`,
    authority: 'name the file of its PEM in KAFKA_CA_FILE',
  };
  const silent = { warn: () => undefined, error: () => undefined };
  // Two brokers are tried, then it is said.
  const limits = { connectionTimeout: stepMs, authenticationTimeout: stepMs, requestTimeout: stepMs };
  const retry = { initialRetryTime: 50, maxRetryTime: 100, retries: 1 };
  const admin = kafkaClient(access, 'doctor', silent, { ...limits, retry }).admin();
  try {
    await admin.connect();
    const how = `${tls ? 'over' : 'without'} TLS, ${login ? `with a login by ${login.mechanism}` : 'without a login'}`;
    return [ok('kafka', `${target.name} answers ${how}.`), await topicsFinding(admin, topicsOf(service))];
  } catch (error) {
    return [wrong('kafka', failureSentence(error, target))];
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

import { Command, runCommand, type Streams } from '@evenkeel/platform/command-line';
import { BrokerAccessConfig, IsBrokers, loadConfig, type Environment } from '@evenkeel/platform/config';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { KafkaJSAggregateError } from 'kafkajs';
import { createTopics } from './stream-topics';

/** Without brokers there are no topics. */
export class TopicsConfig extends BrokerAccessConfig {
  @IsBrokers() KAFKA_BROKERS!: string[];
  /** Copies of each partition. Default: what the brokers are set to. */
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(9) TOPIC_REPLICAS?: number;
  /** So many copies have an event before it is published. Default: what the brokers are set to. */
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(9) TOPIC_MIN_INSYNC_REPLICAS?: number;
}

const TOPICS = new Command('npm run topics:create --')
  .description(
    `Creates the topics of all events and of their dead letters: 12 partitions each, kept for ever. Topics that are there
stay as they are; one with another number of partitions is an error, because the order within keys depends on it.`,
  )
  .addHelpText(
    'after',
    `
Environment:
  KAFKA_BROKERS              host:port, comma-separated
  TOPIC_REPLICAS             copies of each partition (what the brokers are set to)
  TOPIC_MIN_INSYNC_REPLICAS  so many copies have an event before it is published (what the brokers are set to)
  KAFKA_TLS                  on: encrypted; KAFKA_CA_FILE names the PEM of its authority
  KAFKA_SASL_MECHANISM       plain, scram-sha-256 or scram-sha-512, with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD`,
  );

async function create(env: Environment, { out }: Streams): Promise<void> {
  const config = loadConfig(TopicsConfig, env);
  const copies = { replicas: config.TOPIC_REPLICAS, minInsyncReplicas: config.TOPIC_MIN_INSYNC_REPLICAS };
  const log = { warn: () => undefined, error: () => undefined };
  const report = await createTopics({ access: config.kafka!, log, ...copies }).catch((cause: Error) => {
    const all = [cause, ...(cause instanceof KafkaJSAggregateError ? cause.errors : [])];
    const reasons = new Set(all.map((one) => (typeof one === 'string' ? one : one.message).replace(/\.$/, '')));
    const brokers = config.KAFKA_BROKERS.join(',');
    throw new Error(`Kafka at ${brokers} did not do it: ${[...reasons].join('. ')}.`, { cause });
  });
  for (const topic of report.created) out(`created  ${topic}\n`);
  for (const topic of report.kept) out(`kept     ${topic}\n`);
  if (report.wrong.length > 0) {
    const found = report.wrong.map(({ topic, partitions }) => `${topic} (${partitions})`).join(', ');
    throw new Error(`Not 12 partitions: ${found}. Move its events to a new version of the topic.`);
  }
}

/** @returns the exit code */
export function runCreateTopics(args: readonly string[], env: Environment, streams: Streams): Promise<number> {
  return runCommand(TOPICS, args, streams, (_none, safe) => create(env, safe));
}

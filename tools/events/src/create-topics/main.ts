import { parseArgs } from 'node:util';
import { loadConfig, redacted } from '@evenkeel/platform/config';
import { createTopics } from '@evenkeel/platform/kafka';
import { BrokerConfig } from '../events.config';

const HELP = `Creates the topics of all events and of their dead letters: 12 partitions each, kept for ever. Topics that are there
stay as they are; one with another number of partitions is an error, because the order within keys depends on it.

Options
  --replicas <n>  copies of each partition (what the brokers are set to)
  --help          this text

Environment
  KAFKA_BROKERS   host:port, comma-separated
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' }, replicas: { type: 'string' } } });
  if (values.help) return void process.stdout.write(HELP);

  const replicas = values.replicas === undefined ? undefined : Number(values.replicas);
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas > 0)) {
    throw new Error('--replicas must be a whole number from 1.');
  }
  const { KAFKA_BROKERS: brokers } = loadConfig(BrokerConfig, process.env);
  const report = await createTopics({
    brokers,
    log: { warn: () => undefined, error: () => undefined },
    replicas,
  }).catch((cause: Error) => {
    throw new Error(`Kafka at ${brokers.join(',')} did not do it: ${cause.message}.`, { cause });
  });
  const { created, kept, wrong } = report;
  for (const topic of created) process.stdout.write(`created  ${topic}\n`);
  for (const topic of kept) process.stdout.write(`kept     ${topic}\n`);
  if (wrong.length > 0) {
    const found = wrong.map(({ topic, partitions }) => `${topic} (${partitions})`).join(', ');
    throw new Error(`Not 12 partitions: ${found}. Move its events to a new version of the topic.`);
  }
}

main().catch((error: Error) => {
  process.stderr.write(redacted(`${error.message}\n`));
  process.exitCode = 1;
});

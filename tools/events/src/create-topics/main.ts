import { CommandLine, runCommand, startCommand, text, type Streams } from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { createTopics } from '@evenkeel/platform/kafka';
import { BrokerConfig } from '../events.config';

const TOPICS = new CommandLine({
  call: 'npm run topics:create',
  about: `Creates the topics of all events and of their dead letters: 12 partitions each, kept for ever. Topics that are there
stay as they are; one with another number of partitions is an error, because the order within keys depends on it.`,
  options: {
    replicas: text({
      help: 'copies of each partition',
      ...{ placeholder: 'n', otherwise: 'what the brokers are set to', matches: /^0*[1-9]\d*$/ },
      must: 'be a whole number from 1.',
    }),
  },
  environment: { KAFKA_BROKERS: 'host:port, comma-separated' },
  read: ({ replicas }) => ({ replicas: replicas === undefined ? undefined : Number(replicas) }),
});

async function create(replicas: number | undefined, env: Environment, { out }: Streams): Promise<void> {
  const { KAFKA_BROKERS: brokers } = loadConfig(BrokerConfig, env);
  const log = { warn: () => undefined, error: () => undefined };
  const report = await createTopics({ brokers, log, replicas }).catch((cause: Error) => {
    throw new Error(`Kafka at ${brokers.join(',')} did not do it: ${cause.message}.`, { cause });
  });
  const { created, kept, wrong } = report;
  for (const topic of created) out(`created  ${topic}\n`);
  for (const topic of kept) out(`kept     ${topic}\n`);
  if (wrong.length > 0) {
    const found = wrong.map(({ topic, partitions }) => `${topic} (${partitions})`).join(', ');
    throw new Error(`Not 12 partitions: ${found}. Move its events to a new version of the topic.`);
  }
}

startCommand(process.env, (args, env, streams) =>
  runCommand(TOPICS, args, streams, ({ replicas }, safe) => create(replicas, env, safe)),
);

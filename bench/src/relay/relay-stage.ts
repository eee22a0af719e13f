import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import { makeTopics } from '@evenkeel/platform/kafka';
import { migrate, postgresOptions } from '@evenkeel/platform/persistence';
import { ensureDatabase, startKafka } from '@evenkeel/services';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';
import { CreateEventTables1736847000000 } from './sample-events';

/** Broker, database with fsync, relay, reader and bare producer: each a process of its own. */
export class RelayStage extends Scene {
  database!: Client;
  relay!: Child;
  reader!: Child;
  bare!: Child;

  /** @param topics of the relay, one for each round; the bare producer has the same with `.bare` behind */
  static set(topics: readonly string[]): Promise<RelayStage> {
    const stage = new RelayStage();
    return stage.opened(() => stage.open(topics));
  }

  private async open(topics: readonly string[]): Promise<void> {
    const kafka = await startKafka();
    this.closeLater(() => kafka.stop());
    const { brokers } = kafka;
    await createTopics(brokers, [...topics, ...topics.map((topic) => `${topic}.bare`)]);
    const url = await this.openDatabase();
    this.relay = await this.start(require.resolve('./relay-process'), { args: [url, brokers] });
    this.reader = await this.start(require.resolve('./reader-process'), { args: [url, brokers, ...topics] });
    this.bare = await this.start(require.resolve('./bare-process'), { args: [brokers] });
  }

  private async openDatabase(): Promise<string> {
    const url = await ensureDatabase(await this.startPostgres(), 'bench');
    await migrate(postgresOptions({ url, entities: [], migrations: [CreateEventTables1736847000000] }));
    this.database = new Client({ connectionString: url });
    await this.database.connect();
    this.closeLater(() => this.database.end());
    return url;
  }
}

async function createTopics(brokers: string, names: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [brokers], logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  const topics = names.map((topic) => ({ topic, numPartitions: STREAM_PARTITIONS }));
  await makeTopics(admin, topics);
  await admin.disconnect();
}

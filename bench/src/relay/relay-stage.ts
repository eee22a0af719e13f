import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import { migrate, postgresOptions } from '@evenkeel/platform/persistence';
import { ensureDatabase, startKafka, startPostgres } from '@evenkeel/services';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { Child } from '../processes/child';
import { CreateEventTables1736847000000 } from './event-tables';

/** Broker, database with fsync, relay, reader and bare producer: each a process of its own. */
export class RelayStage {
  database!: Client;
  relay!: Child;
  reader!: Child;
  bare!: Child;
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-relay-'));
  private readonly closers: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];

  private constructor() {}

  /** @param topics of the relay, one for each round; the bare producer has the same with `.bare` behind */
  static async set(topics: readonly string[]): Promise<RelayStage> {
    const stage = new RelayStage();
    try {
      await stage.open(topics);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (let close = this.closers.pop(); close; close = this.closers.pop()) {
      await Promise.resolve(close()).catch((error: Error) => console.error(error.message));
    }
  }

  private async open(topics: readonly string[]): Promise<void> {
    const kafka = await startKafka();
    this.closers.push(() => kafka.stop());
    const { brokers } = kafka;
    await createTopics(brokers, [...topics, ...topics.map((topic) => `${topic}.bare`)]);
    const databaseUrl = await this.openDatabase();
    this.relay = await this.start('./relay-process', [databaseUrl, brokers]);
    this.reader = await this.start('./reader-process', [databaseUrl, brokers, ...topics]);
    this.bare = await this.start('./bare-process', [brokers]);
  }

  private async openDatabase(): Promise<string> {
    // Where this process is root, the server is another user, who must be able to enter.
    chmodSync(this.folder, 0o711);
    const server = await startPostgres({ dataDir: join(this.folder, 'postgres') });
    this.closers.push(() => server.stop());
    const url = await ensureDatabase(server.url, 'bench');
    await migrate(postgresOptions({ url, entities: [], migrations: [CreateEventTables1736847000000] }));
    this.database = new Client({ connectionString: url });
    await this.database.connect();
    this.closers.push(() => this.database.end());
    return url;
  }

  private async start(script: string, args: string[]): Promise<Child> {
    const child = await Child.start(require.resolve(script), { folder: this.folder, args });
    this.closers.push(() => child.stop());
    return child;
  }
}

async function createTopics(brokers: string, names: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [brokers], logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  const topics = names.map((topic) => ({ topic, numPartitions: STREAM_PARTITIONS }));
  await admin.createTopics({ topics, waitForLeaders: true });
  await admin.disconnect();
}

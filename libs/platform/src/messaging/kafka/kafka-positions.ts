import type { Admin, Kafka } from 'kafkajs';
import type { ReaderPosition } from '../event-transport.port';

export async function readPositions(admin: Admin, groupId: string, topic: string): Promise<ReaderPosition[]> {
  // Ends first: what is read by then counts, and what is written meanwhile does not.
  const ends = await admin.fetchTopicOffsets(topic);
  const [read] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return ends.map(({ partition, high, low }) => {
    const offset = BigInt(read?.partitions.find((position) => position.partition === partition)?.offset ?? -1);
    return { partition, next: offset < BigInt(low) ? BigInt(low) : offset, end: BigInt(high) };
  });
}

/** Asks for positions again and again over one connection. */
export class KafkaPositions {
  private admin?: Promise<Admin>;

  constructor(private readonly kafka: Kafka) {}

  async read(group: string, topic: string): Promise<ReaderPosition[]> {
    const admin = await (this.admin ??= this.connect());
    try {
      return await readPositions(admin, group, topic);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const admin = await this.admin?.catch(() => undefined);
    this.admin = undefined;
    await admin?.disconnect().catch(() => undefined);
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      this.admin = undefined;
      throw error;
    }
  }
}

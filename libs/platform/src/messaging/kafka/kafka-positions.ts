import type { Admin, Kafka } from 'kafkajs';
import type { ReaderPosition } from '../event-transport.port';
import { KeptConnection } from './kept-connection';

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
  private readonly admin: KeptConnection<Admin>;

  constructor(kafka: Kafka) {
    this.admin = new KeptConnection(() => kafka.admin());
  }

  async read(group: string, topic: string): Promise<ReaderPosition[]> {
    const admin = await this.admin.get();
    try {
      return await readPositions(admin, group, topic);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.admin.drop();
  }
}

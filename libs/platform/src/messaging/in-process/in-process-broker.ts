import { EventEmitter } from 'node:events';
import { deadLetterTopic, STREAMS, type AppName } from '@evenkeel/contracts';
import type { DataSource } from 'typeorm';
import type { EventMessage } from '../cloud-events';
import { EventTransport, type Deliver, type ReaderPosition, type RunningReader } from '../event-transport.port';
import type { MessagingLog } from '../messaging-log';
import { appendToLog, forgetPositions, readPosition } from './event-log';
import { InProcessReader, readToEnd } from './in-process-reader';

/**
 * Events between the services of one process, without a broker: a topic is a log in the database of the service that
 * owns it, made of its published outbox rows. Every reader has a position of its own there, and may begin anew.
 */
export class InProcessBroker extends EventTransport {
  private readonly owners = new Map<string, DataSource>();
  private readonly readers = new Set<InProcessReader>();
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor(private readonly log: MessagingLog) {
    super();
  }

  /** Says where the streams of an app and their dead letters are kept. Readers wait until their topics have a place. */
  own(app: AppName, dataSource: DataSource): void {
    for (const { topic, owner } of STREAMS) if (owner === app) this.keep(topic, dataSource);
  }

  /** The same for one topic. */
  keep(topic: string, dataSource: DataSource): void {
    for (const name of [topic, deadLetterTopic(topic)]) {
      this.owners.set(name, dataSource);
      this.changes.emit(name);
    }
  }

  override async publish(messages: readonly EventMessage[]): Promise<void> {
    const topics = new Set(messages.map(({ topic }) => topic));
    for (const topic of topics) {
      await appendToLog(
        this.ownerOf(topic),
        messages.filter((message) => message.topic === topic),
      );
      this.changes.emit(topic);
    }
  }

  override subscribe(group: string, topics: readonly string[], deliver: Deliver): RunningReader {
    const ownerOf = (topic: string) => this.owners.get(topic);
    const reader = new InProcessReader({ group, topics, deliver, changes: this.changes, log: this.log, ownerOf });
    this.readers.add(reader);
    reader.start();
    return reader;
  }

  override async drain(group: string, topic: string, deliver: Deliver): Promise<void> {
    await readToEnd(this.ownerOf(topic), { group, topic, deliver });
  }

  override async positions(group: string, topic: string): Promise<ReaderPosition[]> {
    const { read, last } = await readPosition(this.ownerOf(topic), group, topic);
    return [{ partition: 0, next: read + 1n, end: last + 1n }];
  }

  override async rewind(group: string): Promise<void> {
    if ([...this.readers].some((reader) => reader.reads(group))) throw new Error(`${group} is reading: stop it first`);
    for (const owner of new Set(this.owners.values())) await forgetPositions(owner, group);
  }

  override async close(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.stop()));
  }

  private ownerOf(topic: string): DataSource {
    const owner = this.owners.get(topic);
    if (!owner) throw new Error(`no service of this process owns ${topic}`);
    return owner;
  }
}

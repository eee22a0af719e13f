import type { EventMessage, ReceivedMessage } from './cloud-events';

/** Messages of one partition in order, at most 500. */
export interface MessageBatch {
  messages: readonly ReceivedMessage[];
  /** Call it every few seconds when a batch takes long. @returns whether the partition is still ours */
  keepAlive(): Promise<boolean>;
}

/**
 * Takes a batch. When it resolves, the group's position moves behind the batch; when it rejects, the batch comes again.
 * Batches of one partition come one after the other.
 */
export type Deliver = (batch: MessageBatch) => Promise<void>;

export interface RunningReader {
  /** Whether it has shown a sign of life within the last minute. */
  isAlive(): boolean;
  /** Resolves after the present batch. */
  stop(): Promise<void>;
}

/** How far a group has come in one partition. */
export interface ReaderPosition {
  partition: number;
  /** Offset of what it reads next. */
  next: bigint;
  /** Offset behind the last message there is. */
  end: bigint;
}

/** Delivers events between services, at least once. */
export abstract class EventTransport {
  /**
   * Resolves when all messages are stored safely. When it rejects, some may be stored: publish all of them again.
   */
  abstract publish(messages: readonly EventMessage[]): Promise<void>;

  /** One to each partition of its topic, whatever its key. Nobody needs it once the next one is there. */
  abstract broadcast(message: EventMessage): Promise<void>;

  /**
   * Reads topics for a group, from its position, else from the beginning. Connects in the background, for as long as
   * it takes.
   */
  abstract subscribe(group: string, topics: readonly string[], deliver: Deliver): RunningReader;

  /** Reads what the group has not read of a topic up to its present end, then resolves; rejects with `deliver`. */
  abstract drain(group: string, topic: string, deliver: Deliver): Promise<void>;

  /** How far a group has come in a topic, with the ends as they were when this was called, or later. */
  abstract positions(group: string, topic: string): Promise<ReaderPosition[]>;

  /** Moves a group back to the first message of every topic. Rejects while the group reads. */
  abstract rewind(group: string): Promise<void>;

  /** Whether a broker answers now; null where there is none. */
  brokersAnswer(): Promise<boolean> | null {
    return null;
  }

  /**
   * The process stops: from now on nothing waits for a broker longer than this, and all that waits then rejects.
   * @param limitMs integer from 0
   */
  abstract endWithin(limitMs: number): void;

  abstract close(): Promise<void>;
}

export const BATCH_SIZE = 500;

/** Where messaging logs; the logger of Nest fits. */
export interface MessagingLog {
  /** Messaging goes on by itself. */
  warn(line: object): void;
  /** A person must act. */
  error(line: object): void;
}

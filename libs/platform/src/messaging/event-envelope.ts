/** An event with its CloudEvents attributes. */
export interface EventEnvelope<Data> {
  id: string;
  type: string;
  source: string;
  subject: string;
  /** When it happened. */
  time: Date;
  /** Kafka key: the aggregate. */
  key: string;
  /** The events of a key are numbered from 1, without gaps. */
  sequence: number;
  data: Data;
}

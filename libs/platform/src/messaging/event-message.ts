/** A message as a transport carries it, whatever is in it. */
export interface EventMessage {
  topic: string;
  /** Messages of equal key arrive in the order in which they were published. */
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}

export interface ReceivedMessage extends EventMessage {
  partition: number;
  /** Grows within a partition; a whole number, possibly with gaps. */
  offset: string;
}

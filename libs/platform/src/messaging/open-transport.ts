import type { BrokerAccess } from '../config';
import type { EventTransport } from './event-transport.port';
import { InProcessBroker } from './in-process/in-process-broker';
import type * as KafkaAdapter from './kafka/kafka-transport';

type TransportOptions = Omit<KafkaAdapter.KafkaTransportOptions, 'access'> & {
  /** Without it events stay within this process. */
  access?: BrokerAccess;
};

/** The transport that the settings ask for. */
export function openTransport({ access, ...options }: TransportOptions): EventTransport {
  if (!access) return new InProcessBroker(options.log);
  // Loaded when it is wanted: the client alone takes an eighth of a second.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { KafkaTransport } = require('./kafka/kafka-transport') as typeof KafkaAdapter;
  return new KafkaTransport({ access, ...options });
}

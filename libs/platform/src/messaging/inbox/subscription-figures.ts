import type { DataSource } from 'typeorm';
import type { AppRegistry } from '../../observability';
import { expose } from '../../observability/figures';
import type { EventTransport } from '../event-transport.port';

const PARKED = 'SELECT count(DISTINCT aggregate)::integer AS parked FROM parked WHERE consumer = $1';

interface WatchedSubscription {
  name: string;
  topics: readonly string[];
  transport: EventTransport;
  /** With its inbox. */
  dataSource: DataSource;
}

/** How far a subscription is behind its topics, and what of it waits for an operator. */
export function exposeSubscription(registry: AppRegistry, watched: WatchedSubscription): void {
  const { name: subscription, topics, transport, dataSource } = watched;
  let lag: number | null = null;
  let parked: number | null = null;
  const unread = async (): Promise<number> => {
    const positions = await Promise.all(topics.map((topic) => transport.positions(subscription, topic)));
    return positions.flat().reduce((sum, { next, end }) => sum + Math.max(0, Number(end - next)), 0);
  };
  const parkedNow = async () => (await dataSource.query<[{ parked: number }]>(PARKED, [subscription]))[0].parked;
  registry.read(`consumer ${subscription}`, unread, (found) => (lag = found));
  registry.read(`parked ${subscription}`, parkedNow, (found) => (parked = found));
  const known = (value: number | null) => (value === null ? [] : [{ labels: { subscription }, value }]);
  expose(registry, 'consumer_lag', () => known(lag));
  expose(registry, 'parked_aggregates', () => known(parked));
}

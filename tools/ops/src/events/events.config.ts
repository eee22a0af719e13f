import { BrokerAccessConfig, IsBrokers, IsDatabaseUrl, Secret } from '@evenkeel/platform/config';

/** Without brokers there are no topics. */
export class TopicsConfig extends BrokerAccessConfig {
  @IsBrokers() KAFKA_BROKERS!: string[];
}

export class InboxConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of the service that parked the events')
  DATABASE_URL!: string;
}

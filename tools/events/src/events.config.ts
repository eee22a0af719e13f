import { IsBrokers, IsDatabaseUrl, Secret } from '@evenkeel/platform/config';

export class BrokerConfig {
  @IsBrokers() KAFKA_BROKERS!: string[];
}

export class InboxConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of the service that parked the events')
  DATABASE_URL!: string;
}

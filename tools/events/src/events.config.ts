import { IsBrokers, IsDatabaseUrl } from '@evenkeel/platform/config';

export class BrokerConfig {
  @IsBrokers() KAFKA_BROKERS!: string[];
}

export class InboxConfig {
  @IsDatabaseUrl('the postgres:// address of the service that parked the events')
  DATABASE_URL!: string;
}

import { IsBrokers } from '@evenkeel/platform/config';
import { IsUrl } from 'class-validator';

export class BrokerConfig {
  @IsBrokers() KAFKA_BROKERS!: string[];
}

export class InboxConfig {
  @IsUrl(
    { protocols: ['postgres', 'postgresql'], require_tld: false },
    { message: '$property must be the postgres:// address of the service that parked the events' },
  )
  DATABASE_URL!: string;
}

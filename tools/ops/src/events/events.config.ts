import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { BrokerAccessConfig, IsBrokers, IsDatabaseUrl, Secret } from '@evenkeel/platform/config';

/** Without brokers there are no topics. */
export class TopicsConfig extends BrokerAccessConfig {
  @IsBrokers() KAFKA_BROKERS!: string[];
  /** Copies of each partition. Default: what the brokers are set to. */
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(9) TOPIC_REPLICAS?: number;
  /** So many copies have an event before it is published. Default: what the brokers are set to. */
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(9) TOPIC_MIN_INSYNC_REPLICAS?: number;
}

export class InboxConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of the service that parked the events')
  DATABASE_URL!: string;
}

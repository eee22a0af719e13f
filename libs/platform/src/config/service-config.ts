import { Type } from 'class-transformer';
import { IsInt, IsNumber, IsOptional, IsString, IsUrl, Matches, Max, Min } from 'class-validator';
import { Secret } from './secrets';
import { IsBrokers, IsDatabaseUrl, IsPort } from './settings';

/** What every service reads from the environment; the class of each adds its own. Names carry their unit. */
export abstract class ServiceConfig {
  @IsOptional() @IsString() NODE_ENV?: string;
  @IsPort() PORT = 3000;
  @IsPort() INTERNAL_PORT = 9090;
  @IsPort() WORKER_INTERNAL_PORT = 9091;
  @Secret() @IsDatabaseUrl() DATABASE_URL!: string;
  /** Base of every address in an answer; never taken from a request. */
  @IsOptional()
  @Matches(/^https?:\/\/[^\s/?#]+$/, { message: '$property must be an http(s) address without a path' })
  PUBLIC_BASE_URL?: string;
  @Type(() => Number) @IsInt() @Min(1_024) @Max(16_777_216) MAX_BODY_BYTES = 131_072;
  @Type(() => Number) @IsInt() @Min(0) @Max(10) TRUSTED_PROXY_HOPS = 0;
  /** Comma-separated origins that may read the restricted paths; `*` for all. */
  @IsString() CORS_ORIGINS = '';
  /** Shared rate limits; without it each process counts for itself. */
  @Secret()
  @IsOptional()
  @IsUrl(
    { protocols: ['redis', 'rediss'], require_protocol: true, require_tld: false },
    { message: '$property must be a redis:// address' },
  )
  REDIS_URL?: string;
  /** Without it events stay within this process. */
  @IsOptional() @IsBrokers() KAFKA_BROKERS?: string[];
  /** Processes that share a limit: each holds its part of it while Redis does not answer. */
  @Type(() => Number) @IsInt() @Min(1) @Max(1_000) REPLICA_COUNT = 1;
  /** Multiplies every limit, for load and test runs. */
  @Type(() => Number) @IsNumber() @Min(0.001) @Max(1_000_000) RATE_LIMIT_SCALE = 1;

  get baseUrl(): string {
    return this.PUBLIC_BASE_URL ?? `http://localhost:${this.PORT}`;
  }

  get corsOrigins(): string[] {
    return this.CORS_ORIGINS.split(',').filter(Boolean);
  }
}

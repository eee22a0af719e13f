import { IsBrokers, IsPort, IsRate, NotInProduction, scaled, type Rate } from '@evenkeel/platform';
import { CONSUMER_CRASH_POINTS, type ConsumerCrashPoint } from '@evenkeel/platform/messaging';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength } from 'class-validator';

/** Everything reporting reads from the environment. Names carry their unit. */
export class ReportingConfig {
  @IsOptional() @IsString() NODE_ENV?: string;
  @IsPort() PORT = 3003;
  @IsPort() INTERNAL_PORT = 9090;
  @IsPort() WORKER_INTERNAL_PORT = 9091;
  @IsUrl(
    { protocols: ['postgres', 'postgresql'], require_tld: false },
    { message: '$property must be a postgres:// address' },
  )
  DATABASE_URL!: string;
  /** Base of every address in an answer; never taken from a request. */
  @IsOptional()
  @Matches(/^https?:\/\/[^\s/?#]+$/, { message: '$property must be an http(s) address without a path' })
  PUBLIC_BASE_URL?: string;
  @Type(() => Number) @IsInt() @Min(1_024) @Max(16_777_216) MAX_BODY_BYTES = 131_072;
  @Type(() => Number) @IsInt() @Min(0) @Max(10) TRUSTED_PROXY_HOPS = 0;
  /** Shared rate limits; without it each process counts for itself. */
  @IsOptional()
  @IsUrl({ protocols: ['redis', 'rediss'], require_tld: false }, { message: '$property must be a redis:// address' })
  REDIS_URL?: string;
  /** Without it events stay within this process. */
  @IsOptional() @IsBrokers() KAFKA_BROKERS?: string[];
  /** Processes that share a limit: each holds its part of it while Redis does not answer. */
  @Type(() => Number) @IsInt() @Min(1) @Max(1_000) REPLICA_COUNT = 1;
  @IsRate() RATE_ADMIN: Rate = { limit: 120, windowSeconds: 60 };
  @IsRate() RATE_DISCOVERY: Rate = { limit: 600, windowSeconds: 60 };
  /** Multiplies every limit, for load and test runs. */
  @Type(() => Number) @IsNumber() @Min(0.001) @Max(1_000_000) RATE_LIMIT_SCALE = 1;

  /** What an operator shows; without it the operator's pages are not configured. */
  @IsOptional()
  @MinLength(24, { message: '$property must have at least 24 characters' })
  ADMIN_TOKEN?: string;

  /** As the gateway has them, to be shown: micro-USD for each call, or a list `path=micros`. */
  @Matches(/^\d{1,12}$|^\/[^=,]+=\d{1,12}(,\/[^=,]+=\d{1,12})*$/, {
    message: '$property must be micro-USD, or a list path=micros',
  })
  COST_MICROS = '400';
  @Type(() => Number) @IsInt() @Min(0) COST_SETTLEMENT_MICROS = 0;

  /** For tests: the process kills itself at this step. */
  @NotInProduction() @IsOptional() @IsIn(CONSUMER_CRASH_POINTS) CRASH_AT?: ConsumerCrashPoint;

  get baseUrl(): string {
    return this.PUBLIC_BASE_URL ?? `http://localhost:${this.PORT}`;
  }

  get rates(): Record<'admin' | 'discovery', Rate> {
    return {
      admin: scaled(this.RATE_ADMIN, this.RATE_LIMIT_SCALE),
      discovery: scaled(this.RATE_DISCOVERY, this.RATE_LIMIT_SCALE),
    };
  }

  /** Attributed cost of one call without its settlement; 0 for a path that the list does not name. */
  callCostMicros(path: string): number {
    if (!this.COST_MICROS.includes('=')) return Number(this.COST_MICROS);
    const listed = this.COST_MICROS.split(',').find((entry) => entry.startsWith(`${path}=`));
    return Number(listed?.split('=')[1] ?? 0);
  }
}

import { Type } from 'class-transformer';
import { IsInt, IsIP, IsNumber, IsOptional, IsString, IsUrl, Matches, Max, Min } from 'class-validator';
import { BrokerConfig } from './broker-config';
import { Secret } from './secrets';
import { IsDatabaseUrl, IsInternalUrl, IsPort, IsSwitch } from './settings';

/** Settings of every service; the class of each adds its own. Names carry their unit. */
export abstract class ServiceConfig extends BrokerConfig {
  @IsOptional() @IsString() NODE_ENV?: string;
  @IsPort() PORT = 3000;
  @IsPort() INTERNAL_PORT = 9090;
  @IsPort() WORKER_INTERNAL_PORT = 9091;
  /** Where health and metrics listen: in a container, where probes come from outside of it, `0.0.0.0`. */
  @IsIP() INTERNAL_HOST = '127.0.0.1';
  @Secret() @IsDatabaseUrl() DATABASE_URL!: string;
  /** Something else encrypts between the pods of the cluster: plain text to them is no reason to warn. */
  @IsSwitch() MESH_TLS = false;
  /** Connections of a process to its database. */
  @Type(() => Number) @IsInt() @Min(2) @Max(1_000) DB_POOL_MAX = 10;
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
  /** Processes that share a limit: each holds its part of it while Redis does not answer. */
  @Type(() => Number) @IsInt() @Min(1) @Max(1_000) REPLICA_COUNT = 1;
  /** Multiplies every limit, for load and test runs. */
  @Type(() => Number) @IsNumber() @Min(0.001) @Max(1_000_000) RATE_LIMIT_SCALE = 1;

  /** Base address of a receiver of traces by OTLP over HTTP. Without it there are none. */
  @Secret() @IsOptional() @IsInternalUrl() OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** Part of the requests that are traced, where their caller does not say. */
  @Type(() => Number) @IsNumber() @Min(0) @Max(1) TRACE_SAMPLE_RATIO = 0.01;

  get baseUrl(): string {
    return this.PUBLIC_BASE_URL ?? `http://localhost:${this.PORT}`;
  }

  get corsOrigins(): string[] {
    return this.CORS_ORIGINS.split(',').filter(Boolean);
  }
}

/** The effect of `CRASH_AT` (`IsCrashPoint`): it kills the process at the step that the setting names. */
export class ProcessCrash<Step extends string = string> {
  /** @param crashAt undefined: it does not crash */
  constructor(private readonly crashAt: Step | undefined) {}

  pass(step: Step): void {
    if (this.crashAt === step) process.kill(process.pid, 'SIGKILL');
  }
}

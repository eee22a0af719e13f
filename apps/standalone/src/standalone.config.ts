import { CHAINS } from '@evenkeel/contracts';
import { IsDatabaseUrl, IsOutboundUrl, IsPort, Secret } from '@evenkeel/platform/config';
import { IsIn, IsIP, IsOptional, IsString } from 'class-validator';

/** Settings of the one process beside those of its apps; each app reads its own class from the same environment. */
export class StandaloneConfig {
  @IsOptional() @IsString() NODE_ENV?: string;
  @IsPort() PORT = 8080;
  /** Where the product listens: `0.0.0.0` for every address of the machine, which shows `/dev/mails` to its neighbours. */
  @IsIP() HOST = '127.0.0.1';
  @IsPort() INTERNAL_PORT = 8081;
  @IsIP() INTERNAL_HOST = '127.0.0.1';
  /** Database files, keys and the test wallet of a local run. */
  @IsString() DATA_DIR = '.data';
  /** A server to use in place of the embedded one; each app gets a database of its own on it. */
  @Secret() @IsOptional() @IsDatabaseUrl() DATABASE_URL?: string;
  /** A facilitator to use in place of the development one. */
  @Secret() @IsOptional() @IsOutboundUrl() FACILITATOR_URL?: string;
  @IsPort() FACILITATOR_PORT = 8402;
  /** The chain of the development facilitator, which the gateway offers. */
  @IsIn(CHAINS.map(({ caip2 }) => caip2)) X402_NETWORK = 'eip155:8453';

  get isProduction(): boolean {
    return this.NODE_ENV === 'production';
  }
}

import { IsDatabaseUrl } from '@evenkeel/platform/config';
import { IsNotIn, IsOptional, IsString, IsUrl } from 'class-validator';

/** What load and soak read from the environment. */
export class LoadConfig {
  @IsOptional()
  @IsNotIn(['production'], { message: 'NODE_ENV must not be production: accounts and credits are made up' })
  NODE_ENV?: string;
  /** Where the state of a running cluster is. */
  @IsString() DATA_DIR = '.data';
  /** Of the ledger, for credits; the cluster says its own. */
  @IsOptional()
  @IsDatabaseUrl('the postgres:// address of the ledger of the agent gateway')
  GATEWAY_DATABASE_URL?: string;
  /** Of the provider, for webhooks; the cluster says its own. */
  @IsOptional() @IsUrl({ require_tld: false }) STRIPE_API_BASE?: string;
  @IsOptional() @IsString() STRIPE_SECRET_KEY?: string;
  @IsOptional() @IsString() STRIPE_WEBHOOK_SECRET?: string;
}

import { IsDatabaseUrl } from '@evenkeel/platform/config';

export class SeedConfig {
  @IsDatabaseUrl('the postgres:// address of a reporting database')
  DATABASE_URL!: string;
}

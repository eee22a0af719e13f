import { IsDatabaseUrl, Secret } from '@evenkeel/platform/config';

/** What the command reads from the environment. */
export class RebuildConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of reporting')
  DATABASE_URL!: string;
}

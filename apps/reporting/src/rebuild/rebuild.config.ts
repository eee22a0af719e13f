import { IsUrl } from 'class-validator';

/** What the command reads from the environment. */
export class RebuildConfig {
  @IsUrl(
    { protocols: ['postgres', 'postgresql'], require_tld: false },
    { message: '$property must be the postgres:// address of reporting' },
  )
  DATABASE_URL!: string;
}

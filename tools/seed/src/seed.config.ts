import { IsUrl } from 'class-validator';

export class SeedConfig {
  @IsUrl(
    { protocols: ['postgres', 'postgresql'], require_tld: false },
    { message: '$property must be the postgres:// address of a reporting database' },
  )
  DATABASE_URL!: string;
}

import { IsUrl } from 'class-validator';

/**
 * The address of a PostgreSQL server, with its protocol: the bare name of a host is none.
 * @param expected ends the sentence `DATABASE_URL must be …`
 */
export function IsDatabaseUrl(expected = 'a postgres:// address'): PropertyDecorator {
  return IsUrl(
    { protocols: ['postgres', 'postgresql'], require_protocol: true, require_tld: false },
    { message: `$property must be ${expected}` },
  );
}

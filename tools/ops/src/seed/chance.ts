/** For a session: an id whose time is that of the row and whose rest is made of a key, the same for the same key. */
export const MADE_ID = `
  CREATE FUNCTION pg_temp.made_id(at timestamptz, VARIADIC key text[]) RETURNS uuid LANGUAGE sql IMMUTABLE
    RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' ||
      substr(md5(array_to_string(key, '/')), 1, 3) || '8' || substr(md5(array_to_string(key, '/')), 4, 15))::uuid`;

export const DAY_MS = 86_400_000;

/** A day as commands take it, `YYYY-MM-DD`. */
export const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

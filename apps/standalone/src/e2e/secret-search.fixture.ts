import type { TestDatabase } from '@evenkeel/platform/testing';

/** The secrets that a text has: as they are, escaped for JSON, or in an address; nor may it have a token of ours, or a part of `more`. */
export function leaksIn(text: string, secrets: readonly string[], ...more: string[]): string[] {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return [...new Set([...forms, 'Bearer ey', ...more])].filter((form) => form !== '' && text.includes(form));
}

/** Every row of every table, as text. */
export async function rowsByTable({ dataSource }: TestDatabase): Promise<Map<string, string>> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const found = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM ${name} t`);
    found.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return found;
}

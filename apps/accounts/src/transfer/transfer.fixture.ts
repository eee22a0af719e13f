import type { Accounts, Person } from '../accounts.fixture';

/** The answer to an import. */
interface Report {
  format: string;
  dry_run: boolean;
  habits: { created: number; matched: number; skipped: number; archived: number };
  logs: { created: number; duplicate: number; rejected: number };
  rejects: { row: string; reason: string }[];
  notes: string[];
}

interface Upload {
  query?: string;
  field?: string;
  key?: string;
}

/** Requests of people about files. */
export function fileTransfer(accounts: () => Accounts) {
  function upload({ token }: Person, file: string | Uint8Array, { query = '', field = 'file', key }: Upload = {}) {
    const form = new FormData();
    form.append(field, new Blob([file as BlobPart]), 'habits.csv');
    const headers = { authorization: `Bearer ${token}`, ...(key !== undefined && { 'idempotency-key': key }) };
    return accounts().send(`/v1/habits/import${query}`, { method: 'POST', headers, body: form });
  }

  async function imported(person: Person, file: string | Uint8Array, query = ''): Promise<Report> {
    const { status, body } = await upload(person, file, { query });
    expect([status, body]).toEqual([200, expect.any(Object)]);
    return body as unknown as Report;
  }

  async function download({ token }: Person, path: string): Promise<Buffer> {
    const response = await fetch(accounts().running.url + path, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }

  const exported = (person: Person, format: string) => download(person, `/v1/habits/export?format=${format}`);
  const exportedAccount = (person: Person) => download(person, '/v1/account/export');

  async function rowsOf({ id }: Person): Promise<{ habits: number; logs: number }> {
    const [row] = await accounts().sql<{ habits: number; logs: number }>(
      `SELECT (SELECT count(*)::integer FROM habits WHERE user_id = $1) AS habits,
         (SELECT count(*)::integer FROM habit_logs WHERE user_id = $1) AS logs`,
      id,
    );
    return row!;
  }

  return { upload, imported, exported, exportedAccount, rowsOf };
}

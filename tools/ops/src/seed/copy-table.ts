import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from, type CopyStreamQuery } from 'pg-copy-streams';

const CHUNK_CHARACTERS = 1 << 16;

/** A row for COPY: texts, numbers, or null. */
export type Cells = (string | number | null)[];

/** Rows on their way into one table, on a connection of their own. */
export class CopyTable {
  private chunk = '';
  private failure: Error | null = null;

  private constructor(
    private readonly client: Client,
    private readonly stream: CopyStreamQuery,
  ) {
    stream.on('error', (error: Error) => (this.failure = error));
  }

  /** @param columns names, with commas */
  static async open(url: string, table: string, columns: string): Promise<CopyTable> {
    const client = new Client({ connectionString: url });
    await client.connect();
    // A seed that breaks off is begun again: there is nothing here worth a wait for the disk.
    await client.query('SET synchronous_commit = off');
    return new CopyTable(client, client.query(from(`COPY ${table} (${columns}) FROM STDIN`)));
  }

  /** Texts without tabs, line ends and backslashes. Call `drained` now and then. */
  add(row: Cells): void {
    this.chunk += `${row.map((cell) => cell ?? '\\N').join('\t')}\n`;
  }

  /** Sends what is due and waits while the database is busy: so no more than a few chunks are in memory. */
  async drained(): Promise<void> {
    if (this.chunk.length >= CHUNK_CHARACTERS) await this.send();
  }

  async finish(): Promise<void> {
    if (this.chunk !== '') await this.send();
    this.stream.end();
    await finished(this.stream);
    await this.client.end();
  }

  /** Leaves the table as it was. */
  async abandon(): Promise<void> {
    this.stream.destroy();
    await this.client.end().catch(() => undefined);
  }

  private async send(): Promise<void> {
    if (this.failure) throw this.failure;
    const { chunk } = this;
    this.chunk = '';
    if (!this.stream.write(chunk)) await once(this.stream, 'drain');
  }
}

/** Rows of one table, on a connection of its own. */
export async function copyRows(url: string, name: string, columns: string, rows: Iterable<Cells>): Promise<void> {
  const table = await CopyTable.open(url, name, columns);
  try {
    for (const row of rows) {
      table.add(row);
      await table.drained();
    }
    await table.finish();
  } catch (error) {
    await table.abandon();
    throw error;
  }
}

import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { statOf, TICK_MS, USER_AND_SYSTEM } from './process-usage';

/** Fields of /proc/<pid>/stat after the name, which may hold spaces. */
const PARENT = 1;
const THOSE_OF_ENDED_CHILDREN = [13, 14];

export interface PostgresUsage {
  /** Null where there is no /proc. */
  cpuMs: number | null;
  /** Of its log, since the server started. */
  fsyncs: number;
}

/** What the server has used so far, all its processes together. */
export class PostgresMeter {
  private constructor(
    private readonly client: Client,
    private readonly serverPid: number | null,
  ) {}

  static async open(url: string): Promise<PostgresMeter> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const parent = statOf(rows[0]!.pid)?.[PARENT];
    return new PostgresMeter(client, parent === undefined ? null : Number(parent));
  }

  async read(): Promise<PostgresUsage> {
    const { rows } = await this.client.query<{ fsyncs: number }>(
      `SELECT coalesce(sum(fsyncs), 0)::integer AS fsyncs FROM pg_stat_io WHERE object = 'wal'`,
    );
    return { cpuMs: this.serverPid === null ? null : cpuMsOf(this.serverPid), fsyncs: rows[0]!.fsyncs };
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

function cpuMsOf(serverPid: number): number {
  let ticks = sum(statOf(serverPid), [...USER_AND_SYSTEM, ...THOSE_OF_ENDED_CHILDREN]);
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = statOf(Number(entry));
    if (Number(stat?.[PARENT]) === serverPid) ticks += sum(stat, USER_AND_SYSTEM);
  }
  return ticks * TICK_MS;
}

function sum(stat: readonly string[] | undefined, fields: readonly number[]): number {
  return fields.reduce((total, field) => total + Number(stat?.[field] ?? 0), 0);
}

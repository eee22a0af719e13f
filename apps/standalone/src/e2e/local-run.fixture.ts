import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppName } from '@evenkeel/contracts';
import { Client } from 'pg';
import { Program, stopPrograms } from './programs.fixture';

export const FREE_PORTS = { PORT: '0', INTERNAL_PORT: '0', FACILITATOR_PORT: '0' };

/** `npm start` with data of its own. */
export class LocalRun {
  private readonly home = aHome();
  private readonly program: Program;

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.program = Program.script('start', { DATA_DIR: join(this.home, 'data'), ...FREE_PORTS, ...env });
  }

  url(): Promise<string> {
    return urlOf(this.program);
  }

  /** Where it shows health and metrics. */
  async internalUrl(): Promise<string> {
    const [, url] = await this.program.prints(/^ {2}metrics +(\S+)\/metrics$/m);
    return url!;
  }

  /** Once it runs. */
  databaseUrl(service: AppName): string {
    const settings = readFileSync(join(this.home, 'data', `${service}.env`), 'utf8');
    return /^DATABASE_URL='(.*)'$/m.exec(settings)![1]!;
  }

  /** Reads the ledger of a service, as its operator may. */
  async ask<Row extends object>(service: AppName, query: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.databaseUrl(service) });
    await client.connect();
    try {
      return (await client.query<Row>(query)).rows;
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await stopPrograms();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A folder that the database server may enter, which may run as another user. */
export function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'evenkeel-home-'));
  chmodSync(home, 0o755);
  return home;
}

/** Where it runs, once it says so. */
export async function urlOf(program: Program): Promise<string> {
  const [, url] = await program.prints(/^Evenkeel runs at (\S+)[^]*Ctrl-C stops it/m);
  return url!;
}

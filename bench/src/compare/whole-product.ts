import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { Client } from 'pg';
import type { ChildOptions } from '../processes/child';

const ROOT = join(__dirname, '../../..');
/** The start of PostgreSQL asks some. */
const SYSTEM_PROGRAMS = '/usr/local/bin:/usr/bin:/bin';
const ENDS_WITHIN_MS = 60_000;
const POLL_MS = 100;

interface Program {
  script: string;
  options: Omit<ChildOptions, 'folder'>;
}

/** A program compiled into one file, as `npm start` compiles its own. */
export function startedAsProduct(entry: string, ...args: readonly string[]): Program {
  const script = join(ROOT, 'tools/services/programs/start.js');
  return { script, options: { args: [entry, ...args], isBuilt: true, cwd: ROOT } };
}

/**
 * `npm start` as it is, with its own database, but for the free ports, the facilitator of the run, and limits that the load of one address
 * would reach.
 */
export function wholeProduct(dataDir: string, facilitatorUrl: string): Program {
  const { script, options } = startedAsProduct('apps/standalone/src/main.ts');
  const env = {
    ...{ PATH: SYSTEM_PROGRAMS, HOME: homedir(), DATA_DIR: dataDir },
    ...{ PORT: '0', INTERNAL_PORT: '0', FACILITATOR_URL: facilitatorUrl, X402_RPC_URL: 'none' },
    RATE_LIMIT_SCALE: '1000000',
  };
  return { script, options: { ...options, env, readyLine: /^Evenkeel runs at (\S+)$/m } };
}

const ALL_READ = `
  SELECT NOT EXISTS (SELECT FROM outbox WHERE published_at IS NULL) AND NOT EXISTS (
    SELECT FROM event_log WHERE topic = $1 AND outbox_id IS NOT NULL
      AND position > (SELECT coalesce(max(position), 0) FROM event_log_readers WHERE reader = 'reporting' AND topic = $1)
  ) AS "allRead"`;

/** The events of a running product. */
export class ProductEvents {
  private constructor(private readonly ledger: Client) {}

  static async open(ledgerUrl: string): Promise<ProductEvents> {
    const ledger = new Client({ connectionString: ledgerUrl });
    await ledger.connect();
    return new ProductEvents(ledger);
  }

  /** @throws Error when some are still unread after a minute */
  async allRead(): Promise<void> {
    const deadline = performance.now() + ENDS_WITHIN_MS;
    for (;;) {
      const { rows } = await this.ledger.query<{ allRead: boolean }>(ALL_READ, [PAYMENTS_STREAM]);
      if (rows[0]!.allRead) return;
      if (performance.now() > deadline) throw new Error('the product did not read its events within a minute');
      await sleep(POLL_MS);
    }
  }

  async close(): Promise<void> {
    await this.ledger.end();
  }
}

/** The database that the gateway of a running product told its operators. */
export function ledgerOf(dataDir: string): string {
  return /^DATABASE_URL='(.*)'$/m.exec(readFileSync(join(dataDir, 'agent-gateway.env'), 'utf8'))![1]!;
}

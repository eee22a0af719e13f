import { Client } from 'pg';
import { RELAY_LOCK } from '../messaging/outbox/relay-session';
import { eventually } from './eventually';

const PRESENT_HOLDER = `
  SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE locktype = 'advisory' AND granted AND d.datname = current_database()
    AND (classid::bigint << 32 | objid::bigint) = $1 AND pid <> $2`;

/** A session that holds the lock in place of the relay: nothing of this outbox is published meanwhile. */
export class HeldRelayLock implements AsyncDisposable {
  private ended?: Promise<void>;

  private constructor(private readonly client: Client) {}

  /** @param connectionString of the database with the outbox; the session of its relay is ended */
  static async take(connectionString: string): Promise<HeldRelayLock> {
    const client = new Client({ connectionString });
    const other = new Client({ connectionString });
    await Promise.all([client.connect(), other.connect()]);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // In the queue before the relay tries again.
    const taken = client.query('SELECT pg_advisory_lock($1)', [RELAY_LOCK]);
    let isTaken = false;
    void taken.then(() => (isTaken = true));
    await eventually(
      async () => {
        if (!isTaken) await other.query(PRESENT_HOLDER, [RELAY_LOCK, rows[0]!.pid]);
        return isTaken;
      },
      { withinMs: 30_000 },
    );
    await other.end();
    return new HeldRelayLock(client);
  }

  release(): Promise<void> {
    return (this.ended ??= this.client.end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

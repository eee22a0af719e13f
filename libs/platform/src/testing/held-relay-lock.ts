import { Client } from 'pg';
import { RELAY_LOCK } from '../messaging/outbox/relay-session';
import { eventually } from './eventually';

const END_HOLDER = `
  SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE locktype = 'advisory' AND granted AND d.datname = current_database()
    AND (classid::bigint << 32 | objid::bigint) = $1`;

/** A session that holds the lock in place of the relay: nothing of this outbox is published meanwhile. */
export class HeldRelayLock implements AsyncDisposable {
  private ended?: Promise<void>;

  private constructor(private readonly client: Client) {}

  /** @param connectionString of the database with the outbox; the session of its relay is ended */
  static async take(connectionString: string): Promise<HeldRelayLock> {
    const client = new Client({ connectionString });
    await client.connect();
    // Before the relay, which needs a new connection first.
    await eventually(async () => {
      await client.query(END_HOLDER, [RELAY_LOCK]);
      const taken = 'SELECT pg_try_advisory_lock($1) AS taken';
      return (await client.query<{ taken: boolean }>(taken, [RELAY_LOCK])).rows[0]!.taken;
    });
    return new HeldRelayLock(client);
  }

  release(): Promise<void> {
    return (this.ended ??= this.client.end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { clientOptions } from '../../persistence/data-source';
import { assertOwnSession } from '../../persistence/own-session';
import { TIMEOUTS } from '../../persistence/postgres-options';
import { Wait } from '../wait';
import { ROW_COLUMNS, type OutboxRow } from './outbox';
import { OUTBOX_CHANNEL } from './outbox-tables';

/** Any constant: one relay per database. */
const RELAY_LOCK = 7_360_184_738;
const END_LIMIT_MS = 1_000;
/**
 * A relay whose process stands still, or whose machine is gone without a word, sends no statement: the server ends its session, and
 * another takes over. One that waits for brokers without an answer sends one within a minute.
 */
const SILENCE_MS = 90_000;

// Never "seq greater than a cursor": sequences commit out of order, and a cursor would skip rows.
const UNPUBLISHED = `
  SELECT seq, ${ROW_COLUMNS} FROM outbox WHERE published_at IS NULL ORDER BY seq LIMIT $1`;
const MARK = 'UPDATE outbox SET published_at = now(), attempts = attempts + 1 WHERE seq = ANY($1::bigint[])';
const COUNT_ATTEMPT = 'UPDATE outbox SET attempts = attempts + 1 WHERE seq = ANY($1::bigint[])';
// The oldest rows by number: no index on the time of publishing, which every row would pay for.
const ERASE = `
  DELETE FROM outbox WHERE seq IN (
    SELECT seq FROM (SELECT seq, published_at FROM outbox ORDER BY seq LIMIT $2) oldest
    WHERE published_at < now() - make_interval(days => $1))`;

/**
 * The connection of a relay: what it reads and marks goes through the session that holds the lock, so that a relay
 * whose session is lost cannot mark anything.
 */
export class RelaySession implements AsyncDisposable {
  private wake: () => void = () => undefined;
  private woken = false;

  private constructor(readonly client: Client) {
    client.on('notification', () => this.ring());
    // A relay that waits finds out by its next statement.
    client.on('error', () => this.ring());
  }

  /** @throws SharedSession behind a pooler that shares sessions: two relays could work, and none would be woken */
  static async open(options: DataSourceOptions, silenceMs = SILENCE_MS): Promise<RelaySession> {
    const { statement_timeout, query_timeout, lock_timeout } = TIMEOUTS;
    const limits = { ...clientOptions(options), statement_timeout, query_timeout, lock_timeout };
    const client = new Client(limits);
    const session = new RelaySession(client);
    try {
      await client.connect();
      await assertOwnSession(client, new Client(limits));
      // A mark that a crash of the server loses is made again, after the events were sent again; consumers skip them.
      // Its plans are kept: those of an outbox with few rows would go on to read all of it.
      await client.query(`SET synchronous_commit = off; SET enable_seqscan = off; LISTEN ${OUTBOX_CHANNEL}`);
      await client.query(`SET idle_session_timeout = ${silenceMs}`);
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Tried, never waited for: a waiting statement would prevent the database from cleaning up. */
  async takeLock(): Promise<boolean> {
    const asked = 'SELECT pg_try_advisory_lock($1) AS taken';
    const { rows } = await this.client.query<{ taken: boolean }>(asked, [RELAY_LOCK]);
    return rows[0]!.taken;
  }

  async unpublished(limit: number): Promise<OutboxRow[]> {
    const statement = { name: 'outbox-unpublished', text: UNPUBLISHED, values: [limit] };
    return (await this.client.query<OutboxRow>(statement)).rows;
  }

  async markPublished(rows: readonly OutboxRow[]): Promise<void> {
    await this.client.query({ name: 'outbox-mark', text: MARK, values: [rows.map(({ seq }) => seq)] });
  }

  /** Of a batch that could not be sent. */
  async countAttempt(rows: readonly OutboxRow[]): Promise<void> {
    await this.client.query(COUNT_ATTEMPT, [rows.map(({ seq }) => seq)]);
  }

  /** @returns whether there may be more */
  async erasePublished(keepDays: number, limit: number): Promise<boolean> {
    return (await this.client.query(ERASE, [keepDays, limit])).rowCount === limit;
  }

  /** Until something was written, at most so long. What was written since the last wait is included. */
  async wait(atMostMs: number, signal: AbortSignal): Promise<void> {
    if (!this.woken) {
      using wait = new Wait(signal);
      this.wake = wait.end;
      await sleep(atMostMs, undefined, { signal: wait.signal }).catch(() => undefined);
    }
    this.woken = false;
  }

  /** Ends the session, and with it the lock, also when the server does not answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.client.end().catch(() => undefined);
    await Promise.race([ended, sleep(END_LIMIT_MS, undefined, { ref: false })]);
    (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  private ring(): void {
    this.woken = true;
    this.wake();
  }
}

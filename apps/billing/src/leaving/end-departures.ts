import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ProviderNotConfigured } from '../provider/stripe-api';
import { PublishAccess } from '../subscriptions/publish-access';
import { ForgetCustomer } from './forget-customer';

/** A departure is of the process that took it for so long: more than the calls of one customer may take. */
const TAKEN_MS = 120_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

// One statement: two processes never take the same row.
const TAKE = `
  WITH due AS (
    SELECT user_id FROM departures WHERE done_at IS NULL AND due_at <= $1
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE departures d SET attempts = d.attempts + 1, due_at = $2 FROM due WHERE d.user_id = due.user_id
  RETURNING d.user_id AS "userId", d.attempts`;

// A page that was paid when its user had left already: the link of that customer came later.
const BEGIN_AGAIN = `
  UPDATE departures d SET done_at = NULL, due_at = $1, attempts = 0 FROM customers c
  WHERE d.done_at IS NOT NULL AND c.user_id = d.user_id AND c.deleted_at IS NULL`;

const STILL_THERE = 'SELECT customer_id AS id FROM customers WHERE user_id = $1 AND deleted_at IS NULL ORDER BY 1';

// Killed between the customer and the page: the row of the page is all that is known.
const BROKEN_OFF = `
  SELECT (SELECT count(*)::integer FROM customers WHERE user_id = $1) AS past
  WHERE EXISTS (SELECT FROM checkouts WHERE user_id = $1 AND session_id IS NULL)
    AND NOT EXISTS (${STILL_THERE})`;

interface Departure {
  userId: string;
  attempts: number;
}

/**
 * Ends at the provider what users have who deleted their account, each until it has succeeded. Who has left is a table of
 * its own, which a rebuild of the projection keeps.
 */
@Injectable()
export class EndDepartures {
  private readonly logger = new Logger('leaving');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly forget: ForgetCustomer,
    private readonly publish: PublishAccess,
  ) {}

  /** @returns whether more may be due */
  async execute(): Promise<boolean> {
    const now = this.clock.now();
    const takenUntil = new Date(now.getTime() + TAKEN_MS);
    const [[departure]] = await this.dataSource.query<[Departure[], number]>(TAKE, [now, takenUntil]);
    if (!departure) return false;
    try {
      await this.leave(departure.userId);
    } catch (error) {
      await this.postpone(departure, error);
    }
    return true;
  }

  /** Of customers who were linked to somebody after they had left. */
  async beginAgain(): Promise<void> {
    await this.dataSource.query(BEGIN_AGAIN, [this.clock.now()]);
  }

  private async leave(userId: string): Promise<void> {
    const idsOf = async (sql: string) =>
      (await this.dataSource.query<{ id: string }[]>(sql, [userId])).map(({ id }) => id);
    const pages =
      'SELECT session_id AS id FROM checkouts WHERE user_id = $1 AND closed_at IS NULL AND session_id IS NOT NULL';
    for (const id of await idsOf(pages)) await this.forget.closePage(id);
    const [brokenOff] = await this.dataSource.query<{ past: number }[]>(BROKEN_OFF, [userId]);
    if (brokenOff) await this.forget.remember(userId, brokenOff.past);
    for (const id of await idsOf(STILL_THERE)) await this.forget.execute(id);
    const alone = `
      SELECT subscription_id AS id FROM subscriptions
      WHERE user_id = $1 AND customer_id IS NULL AND NOT (state->>'isFinal')::boolean`;
    for (const id of await idsOf(alone)) await this.forget.cancel(id);
    await this.dataSource.transaction((tx) => this.finish(tx, userId));
  }

  /** What stays names nobody: rows with the id of a user whom no service knows any more. */
  private async finish(tx: EntityManager, userId: string): Promise<void> {
    const now = this.clock.now();
    // The lock before the look: a customer who is linked in this moment makes the departure begin again.
    await tx.query('SELECT FROM departures WHERE user_id = $1 FOR UPDATE', [userId]);
    await tx.query('DELETE FROM checkouts WHERE user_id = $1', [userId]);
    await tx.query(
      `UPDATE provider_events e SET fact = jsonb_set(e.fact, '{paymentUrl}', 'null') FROM subscriptions s
       WHERE s.user_id = $1 AND (s.state->>'isFinal')::boolean AND e.subscription_id = s.subscription_id
         AND e.fact->>'paymentUrl' IS NOT NULL`,
      [userId],
    );
    await tx.query(`UPDATE grants SET note = '' WHERE user_id = $1`, [userId]);
    const [, revoked] = await tx.query<[unknown, number]>(
      'UPDATE grants SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL',
      [userId, now],
    );
    if (revoked > 0) await this.publish.execute(tx, userId, { cause: 'user.deleted', changedAt: now });
    const left = await tx.query<object[]>(STILL_THERE, [userId]);
    await tx.query('UPDATE departures SET done_at = $2, due_at = $3 WHERE user_id = $1', [
      ...[userId, left.length === 0 ? now : null, now],
    ]);
  }

  /** Seconds at first, an hour at last, and not all at the same moment. */
  private async postpone({ userId, attempts }: Departure, error: unknown): Promise<void> {
    const isWaiting = error instanceof ProviderNotConfigured;
    if (!isWaiting) this.logger.warn({ message: 'a user who left is still known to the provider', attempts, error });
    const pauseMs =
      Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20)) * (1 - Math.random() / 2);
    const next = new Date(this.clock.now().getTime() + (isWaiting ? LONGEST_PAUSE_MS : pauseMs));
    await this.dataSource.query('UPDATE departures SET due_at = $2 WHERE user_id = $1', [userId, next]);
  }
}

import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { rankOf, type BaseState } from '../subscriptions/facts';
import { fold } from '../subscriptions/fold';
import { factsOf, lockFor } from '../subscriptions/stored-events';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 400;
/** One statement stays short, whatever has gathered. */
const SLICE = 5_000;
const SUBSCRIPTIONS_AT_ONCE = 50;

const SUBSCRIPTIONS_WITH_OLD = `
  SELECT DISTINCT subscription_id AS id FROM (
    SELECT subscription_id FROM provider_events
    WHERE received_at < $1 AND created < $1 AND subscription_id IS NOT NULL AND fact IS NOT NULL
    ORDER BY received_at LIMIT ${SUBSCRIPTIONS_AT_ONCE}) old`;

/** Events are kept for 400 days. The result of a subscription's older events is kept as one row that replaces the last. */
@Injectable()
export class FoldOldEvents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * A slice at a time: nobody waits long for a lock.
   * @returns whether there is more
   */
  async execute(isLate: () => boolean): Promise<boolean> {
    const now = this.clock.now();
    const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
    const [, erased] = await this.dataSource.query<[unknown[], number]>(
      `DELETE FROM provider_events WHERE id IN (
         SELECT id FROM provider_events
         WHERE received_at < $1 AND (subscription_id IS NULL OR fact IS NULL) LIMIT ${SLICE})`,
      [before],
    );
    const found = await this.dataSource.query<{ id: string }[]>(SUBSCRIPTIONS_WITH_OLD, [before]);
    for (const { id } of found) {
      if (isLate()) return true;
      await this.dataSource.transaction((tx) => foldBefore(tx, id, { before, now }));
    }
    return erased === SLICE || found.length > 0;
  }
}

async function foldBefore(tx: EntityManager, subscriptionId: string, at: { before: Date; now: Date }): Promise<void> {
  await lockFor(tx, { customerId: null, subscriptionId, id: subscriptionId });
  const old = (await factsOf(tx, subscriptionId)).filter(({ created }) => created < at.before);
  const last = old.at(-1);
  if (last === undefined) return;
  const base: BaseState = { kind: 'base', rank: rankOf(last.fact), state: fold(old) };
  // Received now, so that it is not old again before its successors are.
  await tx.query(`UPDATE provider_events SET type = 'base', fact = $2, received_at = $3 WHERE id = $1`, [
    last.id,
    JSON.stringify(base),
    at.now,
  ]);
  await tx.query(
    `DELETE FROM provider_events
     WHERE subscription_id = $1 AND fact IS NOT NULL AND created < $2 AND id <> $3`,
    [subscriptionId, at.before, last.id],
  );
  await tx.query(
    `UPDATE subscriptions SET folded_events = kept.count, folded_ids = kept.ids
     FROM (SELECT count(*) AS count, bit_xor(hashtextextended(id, 0)) AS ids FROM provider_events
       WHERE subscription_id = $1 AND fact IS NOT NULL) kept
     WHERE subscription_id = $1`,
    [subscriptionId],
  );
}

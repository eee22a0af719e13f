import { Clock } from '@evenkeel/kernel';
import { IdempotencyKeys } from '@evenkeel/platform/auth';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const DAY_MS = 86_400_000;
const EVERY_MS = 60_000;
const WITHIN_MS = 10_000;
const ERASED_AT_ONCE = 1_000;

/** The rows to erase, and when. A lockout looks back 15 minutes, and an ended session is not shown. */
const KEPT = [
  { table: 'login_failures', from: 'failed_at', days: 1 },
  { table: 'security_events', from: 'occurred_at', days: 90 },
  // Tokens go with their session.
  { table: 'sessions', from: 'least(expires_at, revoked_at)', days: 30 },
  // A day more than promised: a deletion has the time at which it was made, and is read when it is committed.
  { table: 'deletions', from: 'deleted_at', days: 401 },
] as const;

/** Erases what sign-in need not remember any more, deletions that no device asks for, and the answers of old requests. */
@Injectable()
export class EraseOldRows extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[] = [
    { name: 'erase_old_rows', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: (isLate) => this.eraseOld(isLate) },
  ];

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly keys: IdempotencyKeys,
  ) {
    super();
  }

  /** @returns whether there is more to erase */
  async eraseOld(isLate: () => boolean = () => false): Promise<boolean> {
    let more = await this.keys.eraseExpired();
    for (const { table, from, days } of KEPT) {
      if (isLate()) return true;
      const before = new Date(this.clock.now().getTime() - days * DAY_MS);
      // `ctid`: tables have keys of their own forms, and no row is changed that this may erase.
      const [, erased] = await this.dataSource.query<[unknown[], number]>(
        `DELETE FROM ${table} WHERE ${from} < $1 AND ctid = ANY (ARRAY(
           SELECT ctid FROM ${table} WHERE ${from} < $1 LIMIT ${ERASED_AT_ONCE}))`,
        [before],
      );
      more ||= erased === ERASED_AT_ONCE;
    }
    return more;
  }
}

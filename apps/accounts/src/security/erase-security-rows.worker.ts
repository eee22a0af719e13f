import { Clock } from '@evenkeel/kernel';
import { BackgroundWorker, type WorkerDuty } from '@evenkeel/platform/resilience';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const DAY_MS = 86_400_000;
const ERASED_AT_ONCE = 1_000;
const EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** Rows that are erased, and when. A lockout looks back 15 minutes, and an ended session shows nowhere. */
const KEPT = [
  { table: 'login_failures', from: 'failed_at', days: 1 },
  { table: 'security_events', from: 'occurred_at', days: 90 },
  { table: 'sessions', from: 'least(expires_at, revoked_at)', days: 30 },
] as const;

/** Erases what sign-in need not remember any more; tokens go with their session. */
@Injectable()
export class EraseSecurityRows extends BackgroundWorker {
  protected readonly duties: readonly WorkerDuty[] = [
    { name: 'erase_security_rows', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: (isLate) => this.eraseOld(isLate) },
  ];

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @returns whether there is more to erase */
  async eraseOld(isLate: () => boolean = () => false): Promise<boolean> {
    let more = false;
    for (const { table, from, days } of KEPT) {
      if (isLate()) return true;
      const before = new Date(this.clock.now().getTime() - days * DAY_MS);
      const [, erased] = await this.dataSource.query<[unknown[], number]>(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${from} < $1 LIMIT ${ERASED_AT_ONCE})`,
        [before],
      );
      more ||= erased === ERASED_AT_ONCE;
    }
    return more;
  }
}

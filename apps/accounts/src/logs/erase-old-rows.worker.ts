import { Clock } from '@evenkeel/kernel';
import { BackgroundWorker, type WorkerDuty } from '@evenkeel/platform/resilience';
import { IdempotencyKeys } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DELETIONS_KEPT_MS } from './read-changes';

const DAY_MS = 86_400_000;
const SLICE = 5_000;
const EVERY_MS = 60_000;
const WITHIN_MS = 10_000;
/** A day more than promised: a deletion has the time at which it was made, and is read when it is committed. */
const ERASED_AFTER_MS = DELETIONS_KEPT_MS + DAY_MS;

/** Erases deletions that no device asks for any more, and the answers of old requests. */
@Injectable()
export class EraseOldRows extends BackgroundWorker {
  protected readonly duties: readonly WorkerDuty[] = [
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
    const moreKeys = await this.keys.eraseExpired();
    return isLate() || (await this.eraseDeletions()) || moreKeys;
  }

  private async eraseDeletions(): Promise<boolean> {
    const before = new Date(this.clock.now().getTime() - ERASED_AFTER_MS);
    const [, erased] = await this.dataSource.query<[unknown[], number]>(
      `DELETE FROM deletions WHERE (user_id, change_number, id) IN (
         SELECT user_id, change_number, id FROM deletions WHERE deleted_at < $1 LIMIT ${SLICE})`,
      [before],
    );
    return erased === SLICE;
  }
}

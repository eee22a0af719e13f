import { ProcessCrash } from '@evenkeel/platform/config';
import { BackgroundWorker, type WorkerDuty } from '@evenkeel/platform/background';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const EVERY_MS = 60_000;
const WITHIN_MS = 20_000;
/** One statement stays short, whatever somebody has logged in ten years. */
const SLICE = 2_500;

/** The rows of a person, in the order in which they go; the row of the user is the last. */
const ERASED = ['habit_logs', 'insights', 'deletions', 'habits', 'security_events', 'usage_months'];

/** Erases what deleted accounts have left, slice by slice: a process that dies in the middle has only begun. */
@Injectable()
export class EraseAccounts extends BackgroundWorker {
  protected readonly duties: readonly WorkerDuty[] = [
    { name: 'erase_accounts', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: (isLate) => this.runOnce(isLate) },
  ];

  constructor(
    private readonly dataSource: DataSource,
    private readonly crash: ProcessCrash,
  ) {
    super();
  }

  /** @returns whether there is more to erase */
  async runOnce(isLate: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      const [user] = await this.dataSource.query<{ id: string }[]>(
        `SELECT id FROM users WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1`,
      );
      if (!user) return false;
      for (const table of ERASED) {
        while ((await this.eraseSlice(table, user.id)) === SLICE) if (isLate()) return true;
        this.crash.pass('erased_half');
      }
      await this.dataSource.query(`DELETE FROM entitlements WHERE user_id = $1`, [user.id]);
      await this.dataSource.query(`DELETE FROM users WHERE id = $1 AND deleted_at IS NOT NULL`, [user.id]);
      if (isLate()) return true;
    }
  }

  private async eraseSlice(table: string, userId: string): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM ${table} WHERE user_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE user_id = $1 LIMIT ${SLICE}))`,
      [userId],
    );
    return count;
  }
}

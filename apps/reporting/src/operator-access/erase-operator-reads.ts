import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A statement stays short, however many rows are old. */
const ERASED_AT_ONCE = 1_000;
const EVERY_MS = 600_000;
const WITHIN_MS = 10_000;

// By the clock of the database, which also refuses to erase what is younger.
const ERASE = `
  DELETE FROM operator_reads WHERE id IN (
    SELECT id FROM operator_reads WHERE occurred_at < now() - interval '90 days' ORDER BY occurred_at LIMIT $1
  )`;

@Injectable()
export class EraseOperatorReads extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[] = [
    { name: 'erase_operator_reads', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => this.eraseSlice() },
  ];

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  /** @returns whether there may be more */
  async eraseSlice(): Promise<boolean> {
    const [, erased] = await this.dataSource.query<[unknown[], number]>(ERASE, [ERASED_AT_ONCE]);
    return erased === ERASED_AT_ONCE;
  }
}

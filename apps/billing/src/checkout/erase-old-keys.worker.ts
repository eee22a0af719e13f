import { BackgroundWorker, type WorkerDuty } from '@evenkeel/platform/background';
import { IdempotencyKeys } from '@evenkeel/platform/idempotency';
import { Injectable } from '@nestjs/common';

const EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** Erases the answers of old requests. */
@Injectable()
export class EraseOldKeys extends BackgroundWorker {
  protected readonly duties: readonly WorkerDuty[] = [
    { name: 'erase_old_keys', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => this.keys.eraseExpired() },
  ];

  constructor(private readonly keys: IdempotencyKeys) {
    super();
  }
}

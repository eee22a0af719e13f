import { FileApart } from '@evenkeel/habit-files';
import { Clock, localDate } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { AccountUser } from '../users/account-user';
import { Turns } from './turns';

/** From the first byte that is read to the last row: each has a process beside this one, and each that waits its file. */
const AT_ONCE = { running: 2, waiting: 4 };

/** Lets a few imports at a time read their files. */
@Injectable()
export class ReadUploaded {
  private readonly turns = new Turns(AT_ONCE);

  constructor(private readonly clock: Clock) {}

  /**
   * Reads the file in a process of its own, then does the work with it.
   * @param signal ends both
   * @throws UnreadableFile, RateLimited when the person has another import, or too many wait
   */
  async with<Result>(
    user: AccountUser,
    bytes: Buffer,
    signal: AbortSignal,
    work: (file: FileApart) => Promise<Result>,
  ): Promise<Result> {
    const endTurn = await this.turns.take(user.userId, signal);
    try {
      const lastDay = localDate(this.clock.now(), user.timezone ?? 'UTC', user.dayStartMinutes);
      const file = await FileApart.read(bytes, { lastDay }, { signal });
      try {
        return await work(file);
      } finally {
        file.close();
      }
    } finally {
      endTurn();
    }
  }
}

import { FileApart, type ReadOptions } from '@evenkeel/habit-files';
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
      const options = readOptionsOf(user, this.clock.now());
      const file = await FileApart.read(bytes, options, { signal });
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

/** Somewhere it is already tomorrow. */
const AHEAD_MS = 14 * 3_600_000;

/** The days of a person. The last one of a file is today; without a zone, today wherever they may be. */
export function readOptionsOf({ timezone, dayStartMinutes, weekStart }: AccountUser, now: Date): ReadOptions {
  const lastInstant = new Date(now.getTime() + AHEAD_MS).toISOString();
  const lastDay = timezone === null ? lastInstant.slice(0, 10) : localDate(now, timezone, dayStartMinutes);
  return { lastDay, lastInstant, timezone, dayStartMinutes, weekStart };
}

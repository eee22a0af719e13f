import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RateLimited } from '@evenkeel/platform/http';
import { readHabitFileInThread, type HabitFile, type ReadOptions } from '@evenkeel/habit-files';
import { Clock, localDate } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { AccountUser } from '../users/account-user';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
// Code that V8 has compiled and kept is only for the flags that it had then.
setFlagsFromString('--no-expose-gc');

/** What the first collection empties, the second returns to the system. */
const BETWEEN_MS = 1_000;
/** At once in this process, from the first byte that is read to the last row. */
const RUNNING_MOST = 2;

/** Lets two imports at a time into this process: each may take a hundred megabytes. */
@Injectable()
export class ReadUploaded {
  private running = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Reads the file in a thread of its own, then does the work with it.
   * @throws UnreadableFile, RateLimited when two run already
   */
  async with<Result>(user: AccountUser, bytes: Buffer, work: (file: HabitFile) => Promise<Result>): Promise<Result> {
    if (this.running >= RUNNING_MOST) throw new RateLimited({ scope: 'concurrency' });
    this.running++;
    try {
      return await work(await readHabitFileInThread(bytes, readOptionsOf(user, this.clock.now())));
    } finally {
      this.running--;
      if (this.running === 0) setImmediate(giveBackMemory);
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

/**
 * Collects what is no longer used, and returns its memory to the system: tens of milliseconds twice, in which nothing else runs. By
 * itself V8 waits until the heap has grown by half, and what an import leaves behind stays for hours in a process that has little to do.
 */
function giveBackMemory(): void {
  collect();
  setTimeout(collect, BETWEEN_MS).unref();
}

import type { FileLog } from './habit-file';
import { logSourceIds } from './writing/ordered-habits';

/** A log that a habit has. */
export interface KnownLog {
  /** Null of one that was made by hand. */
  readonly sourceId: string | null;
  /** Local date. */
  readonly localDate: string;
  /** Instant in UTC, as `toISOString` writes it. */
  readonly occurredAt: string;
}

/**
 * The logs of a file that a habit does not have. It has one by the id of its source; else, of those made by hand, by its instant, or
 * by the id that an export gives. Where a file knows days alone, it has any log of that day, and only then by an id that has moved to
 * another day. Each log that the habit has stands for one of the file.
 * @param logs of one habit of the file
 * @param habitSourceId of the habit that has them, in files
 */
export function missingLogs(logs: readonly FileLog[], known: readonly KnownLog[], habitSourceId: string): FileLog[] {
  const left = new KnownLogs(known);
  const ofSources = new Map(known.flatMap((log) => (log.sourceId === null ? [] : [[log.sourceId, log] as const])));
  const bySource = ({ sourceId, localDate, occurredAt }: FileLog): KnownLog | undefined => {
    const found = ofSources.get(sourceId);
    return occurredAt !== null || found?.localDate === localDate ? found : undefined;
  };
  const byInstant = ({ localDate, occurredAt }: FileLog): KnownLog | undefined =>
    left.of(localDate).find((log) => log.sourceId === null && log.occurredAt === occurredAt);
  const given = logSourceIds(known, habitSourceId);
  const byGivenIdOrDay = ({ localDate, occurredAt, sourceId }: FileLog): KnownLog | undefined =>
    left.of(localDate).find((log) => occurredAt === null || given.get(log) === sourceId);
  const bySourceOfOtherDay = ({ sourceId }: FileLog): KnownLog | undefined => ofSources.get(sourceId);
  return [bySource, byInstant, byGivenIdOrDay, bySourceOfOtherDay].reduce<FileLog[]>(
    (missing, by) => missing.filter((log) => !left.take(by(log))),
    [...logs],
  );
}

/** Those that stand for no log of the file yet, by their days. */
class KnownLogs {
  private readonly days = new Map<string, Set<KnownLog>>();

  constructor(logs: readonly KnownLog[]) {
    for (const log of logs) {
      const day = this.days.get(log.localDate);
      if (day) day.add(log);
      else this.days.set(log.localDate, new Set([log]));
    }
  }

  of(localDate: string): KnownLog[] {
    return [...(this.days.get(localDate) ?? [])];
  }

  /** @returns whether it was left */
  take(log: KnownLog | undefined): boolean {
    return log !== undefined && this.days.get(log.localDate)!.delete(log);
  }
}

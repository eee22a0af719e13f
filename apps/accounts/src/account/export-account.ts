import { Readable } from 'node:stream';
import { logSourceIds, type LogToWrite } from '@evenkeel/habit-files';
import { Clock } from '@evenkeel/kernel';
import { RateLimited } from '@evenkeel/platform/http';
import { pagesOf, Snapshot } from '@evenkeel/platform/lists';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOG_COLUMNS, readNamedHabits, type NamedHabit } from '../transfer/account-habits';
import type { AccountUser } from '../users/account-user';

/** At once in this process: each holds a connection until its reader has all of it. */
const RUNNING_MOST = 2;

/**
 * Everything that the service knows of a person, as one JSON document that is made while it is read, from one state of the
 * database. Its habits have the form that import takes, with the ids that the other exports give.
 */
@Injectable()
export class ExportAccount {
  private running = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @throws RateLimited when too many run already */
  async execute(user: AccountUser): Promise<Readable> {
    if (this.running >= RUNNING_MOST) throw new RateLimited({ scope: 'concurrency' });
    this.running++;
    try {
      const snapshot = await Snapshot.open(this.dataSource);
      const document = Readable.from(this.document(user, snapshot));
      // Not at the end of what makes it: that never begins when the reader has gone before the first word.
      document.once('close', () => void snapshot.close().finally(() => this.running--));
      return document;
    } catch (error) {
      this.running--;
      throw error;
    }
  }

  private async *document({ userId, ...user }: AccountUser, snapshot: Snapshot): AsyncGenerator<string> {
    const { email, displayName, emailVerified, timezone, locale, dayStartMinutes, weekStart, createdAt } = user;
    const about = { format: 'evenkeel.account', version: 1, exportedAt: this.clock.now() };
    const profile = { email, displayName, emailVerified, timezone, locale, dayStartMinutes, weekStart, createdAt };
    yield `${JSON.stringify({ ...about, profile }).slice(0, -1)},\n"habits":[`;
    yield* habitsOf(userId, snapshot);
    yield ']';
    for (const [name, statement] of Object.entries(LISTS)) {
      yield `,\n${JSON.stringify(name)}:[`;
      yield* listed(pagesOf<object>(snapshot.query, statement, [userId]));
      yield ']';
    }
    yield '}\n';
  }
}

async function* habitsOf(userId: string, snapshot: Snapshot): AsyncGenerator<string> {
  const habits = await readNamedHabits(snapshot.query, userId);
  const instants = await snapshot.query<{ id: string }>(INSTANTS, [userId]);
  const instantsOf = new Map(instants.map(({ id, ...of }) => [id, of]));
  for (const [index, habit] of habits.entries()) {
    const { id, inFiles, start, ...rest } = habit;
    const members = { ...rest, sourceId: inFiles.sourceId, startDate: start, ...instantsOf.get(id) };
    yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(members).slice(0, -1)},"logs":[`;
    yield* listed(logsOf(userId, habit, snapshot));
    yield ']}';
  }
}

/** A day at least at a time: what the logs of a day are called depends on all of them. */
async function* logsOf(userId: string, { id, inFiles }: NamedHabit, snapshot: Snapshot): AsyncGenerator<object[]> {
  const { sourceId } = inFiles;
  const moved = await snapshot.query<{ sourceId: string }>(MOVED_IDS, [userId, id, sourceId]);
  const elsewhere = moved.map((log) => log.sourceId);
  const named = (logs: readonly LogToWrite[]): object[] => {
    const given = logSourceIds(logs, sourceId, elsewhere);
    return logs.map((log) => ({ ...log, sourceId: log.sourceId ?? given.get(log) }));
  };
  let lastDay: LogToWrite[] = [];
  for await (const page of pagesOf<LogToWrite>(snapshot.query, LOGS, [userId, id])) {
    const logs = [...lastDay, ...page];
    const { localDate } = logs.at(-1)!;
    lastDay = logs.filter((log) => log.localDate === localDate);
    yield named(logs.slice(0, -lastDay.length));
  }
  yield named(lastDay);
}

/** Rows as the members of a list. */
async function* listed(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield `${isFirst ? '' : ','}${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}`;
    isFirst = false;
  }
}

const INSTANTS = `
  SELECT id, created_at AS "createdAt", archived_at AS "archivedAt" FROM habits WHERE user_id = $1`;

const LOGS = `SELECT ${LOG_COLUMNS} FROM habit_logs WHERE user_id = $1 AND habit_id = $2 ORDER BY local_date, occurred_at, id`;

/** Such as the id of a log would be without its own, but of another day: that of a log whose day was changed. */
const MOVED_IDS = `
  SELECT source_id AS "sourceId" FROM habit_logs
  WHERE user_id = $1 AND habit_id = $2 AND starts_with(source_id, $3 || '/')
    AND NOT starts_with(source_id, $3 || '/' || local_date)`;

/** The other parts of the document. */
const LISTS = {
  sessions: `
    SELECT signed_in_at AS "createdAt", last_used_at AS "lastUsedAt", user_agent AS "userAgent", network,
      revoked_at AS "revokedAt"
    FROM sessions WHERE user_id = $1 ORDER BY signed_in_at, id`,
  insights: `
    SELECT h.name AS habit, i.kind, i.code, i.severity, i.title, i.body, i.evidence,
      i.period_from::text AS "from", i.period_to::text AS "to", i.created_at AS "createdAt"
    FROM insights i JOIN habits h ON h.id = i.habit_id WHERE i.user_id = $1 ORDER BY i.created_at, i.id`,
  usage: `SELECT period, used FROM usage_months WHERE user_id = $1 ORDER BY period`,
  entitlements: `
    SELECT CASE WHEN access_until = 'infinity' THEN NULL ELSE access_until END AS "accessUntil",
      access_until = 'infinity' AS "openEnded", changed_at AS "changedAt"
    FROM entitlements WHERE user_id = $1`,
  securityEvents: `
    SELECT kind, network, occurred_at AS "occurredAt" FROM security_events WHERE user_id = $1 ORDER BY occurred_at, id`,
} as const;

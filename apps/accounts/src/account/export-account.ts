import { Clock } from '@evenkeel/kernel';
import { RateLimited } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountUser } from '../users/account-user';

/** At once in this process. */
const RUNNING_MOST = 2;
const PAGE = 2_000;

/**
 * Everything that the service knows of a person, as one JSON document that is made while it is read. Its habits have the
 * form that import takes.
 */
@Injectable()
export class ExportAccount {
  private running = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @throws RateLimited when too many run already */
  execute(user: AccountUser): AsyncGenerator<string> {
    if (this.running >= RUNNING_MOST) throw new RateLimited({ scope: 'concurrency' });
    this.running++;
    return this.document(user);
  }

  private async *document({ userId, ...user }: AccountUser): AsyncGenerator<string> {
    try {
      const { email, displayName, emailVerified, timezone, locale, dayStartMinutes, weekStart, createdAt } = user;
      const about = { format: 'evenkeel.account', version: 1, exportedAt: this.clock.now() };
      const profile = { email, displayName, emailVerified, timezone, locale, dayStartMinutes, weekStart, createdAt };
      yield `${JSON.stringify({ ...about, profile }).slice(0, -1)},\n"habits":[`;
      yield* this.habits(userId);
      yield ']';
      for (const [name, sql] of Object.entries(LISTS)) {
        yield `,\n${JSON.stringify(name)}:[`;
        yield* listed(await this.dataSource.query<object[]>(sql, [userId]));
        yield ']';
      }
      yield '}\n';
    } finally {
      this.running--;
    }
  }

  private async *habits(userId: string): AsyncGenerator<string> {
    const habits = await this.dataSource.query<{ id: string }[]>(HABITS, [userId]);
    for (const [index, { id, ...habit }] of habits.entries()) {
      yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(habit).slice(0, -1)},"logs":[`;
      let after = '00000000-0000-0000-0000-000000000000';
      for (let first = true; ; first = false) {
        const logs = await this.dataSource.query<{ id: string }[]>(LOGS, [userId, id, after]);
        yield* listed(
          logs.map(({ id: _, ...log }) => log),
          first,
        );
        if (logs.length < PAGE) break;
        after = logs.at(-1)!.id;
      }
      yield ']}';
    }
  }
}

/** @param first whether they begin the list */
function* listed(rows: readonly object[], first = true): Generator<string> {
  if (rows.length > 0) yield `${first ? '' : ','}${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}`;
}

const HABITS = `
  SELECT id, name, description, category, cadence, target_per_week AS "targetPerWeek",
    target_days_mask AS "targetDaysMask", CASE WHEN start_given THEN start_day::text END AS "startDate",
    archived_at IS NOT NULL AS archived, created_at AS "createdAt"
  FROM habits WHERE user_id = $1 ORDER BY created_at, id`;

const LOGS = `
  SELECT id, occurred_at AS "occurredAt", local_date::text AS "localDate", status,
    completion_rate::float8 AS "completionRate", duration_minutes AS "durationMinutes", mood_score AS "moodScore",
    energy_score AS "energyScore", stress_score AS "stressScore", context_tags AS "contextTags", note
  FROM habit_logs WHERE user_id = $1 AND habit_id = $2 AND id > $3 ORDER BY id LIMIT ${PAGE}`;

/** The other parts of the document. */
const LISTS = {
  sessions: `
    SELECT signed_in_at AS "createdAt", last_used_at AS "lastUsedAt", user_agent AS "userAgent", network,
      revoked_at AS "revokedAt"
    FROM sessions WHERE user_id = $1 ORDER BY signed_in_at, id`,
  insights: `
    SELECT h.name AS habit, i.kind, i.code, i.severity, i.title, i.body, i.evidence,
      i.period_from::text AS "from", i.period_to::text AS "to", i.created_at AS "createdAt"
    FROM insights i JOIN habits h ON h.id = i.habit_id WHERE i.user_id = $1 ORDER BY i.created_at, i.id LIMIT 100000`,
  usage: `SELECT period, used FROM usage_months WHERE user_id = $1 ORDER BY period`,
  entitlements: `
    SELECT CASE WHEN access_until = 'infinity' THEN NULL ELSE access_until END AS "accessUntil",
      access_until = 'infinity' AS "openEnded", changed_at AS "changedAt"
    FROM entitlements WHERE user_id = $1`,
  securityEvents: `
    SELECT kind, network, occurred_at AS "occurredAt" FROM security_events WHERE user_id = $1 ORDER BY occurred_at, id`,
} as const;

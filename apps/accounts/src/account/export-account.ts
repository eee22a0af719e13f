import type { Readable } from 'node:stream';
import { Clock } from '@evenkeel/kernel';
import { pagesOf, type Snapshot } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { logsInFiles, readNamedHabits } from '../transfer/account-habits';
import { ExportHabits } from '../transfer/export-habits';
import type { AccountUser } from '../users/account-user';

/**
 * Everything that the service knows of a person, as one JSON document that is made while it is read, from one state of the
 * database. Its habits have the form that import takes, with the ids that the other exports give.
 */
@Injectable()
export class ExportAccount {
  constructor(
    private readonly exports: ExportHabits,
    private readonly clock: Clock,
  ) {}

  /**
   * @param signal ends it, also while it is read
   * @throws RateLimited when the person has another export, or too many wait
   */
  execute(user: AccountUser, signal: AbortSignal): Promise<Readable> {
    return this.exports.inTurn(user.userId, signal, async (snapshot) => this.document(user, snapshot));
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
    yield* listed(logsInFiles(snapshot.query, userId, habit));
    yield ']}';
  }
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

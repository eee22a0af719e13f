import { SubscriptionChanged } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { countVersions, statedVersion, type CountedVersion, type StatedVersion } from './movements';

const iso = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const COLUMNS = `user_id AS "userId", version, ${iso('changed_at')} AS "changedAt", plans, active,
  past_due AS "pastDue", trialing, scheduled_to_cancel AS "scheduledToCancel",
  CASE WHEN isfinite(granted_until) THEN ${iso('granted_until')} ELSE granted_until::text END AS "grantedUntil",
  day::text, mrr_micros AS "mrrMicros", has_paid AS "hasPaid", movement, movement_micros AS "movementMicros"`;

// In the order of a delivery only the version before is read, whatever the number of versions.
const STORED = `
  SELECT v.* FROM unnest($1::uuid[], $2::integer[]) AS asked (id, first) CROSS JOIN LATERAL (
    (SELECT ${COLUMNS} FROM subscription_versions WHERE user_id = id AND version < first ORDER BY version DESC LIMIT 1)
    UNION ALL
    (SELECT ${COLUMNS} FROM subscription_versions WHERE user_id = id AND version >= first)
  ) v
  ORDER BY "userId", version`;

const WRITE = `
  INSERT INTO subscription_versions (user_id, version, changed_at, plans, active, past_due, trialing,
    scheduled_to_cancel, granted_until, day, mrr_micros, has_paid, movement, movement_micros)
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS counted ("userId" uuid, version integer, "changedAt" timestamptz,
    plans jsonb, active integer, "pastDue" integer, trialing integer, "scheduledToCancel" integer,
    "grantedUntil" timestamptz, day date, "mrrMicros" bigint, "hasPaid" boolean, movement text,
    "movementMicros" bigint)
  ON CONFLICT (user_id, version) DO UPDATE SET
    day = excluded.day, has_paid = excluded.has_paid, movement = excluded.movement,
    movement_micros = excluded.movement_micros`;

/**
 * Stores versions of users and counts what they change. A version that comes late is put between those that it belongs to,
 * and what follows it is counted again: so totals are the same in whatever order versions come, and however often.
 */
export async function applyVersions(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => type === SubscriptionChanged.type);
  if (published.length === 0) return;
  const stated = byUser(published.map(({ data }) => statedVersion(data as SubscriptionChanged)));
  const stored = byUser(await storedVersions(tx, stated));
  const written: CountedVersion[] = [];
  for (const [userId, versions] of stated) {
    const known = [...(stored.get(userId)?.values() ?? [])];
    const added = [...versions.values()].filter(({ version }) => !stored.get(userId)?.has(version));
    if (added.length === 0) continue;
    const first = Math.min(...added.map(({ version }) => version));
    const before = known.findLast(({ version }) => version < first);
    const old = known.filter(({ version }) => version > first);
    const now = countVersions(
      before,
      [...old, ...added].sort((a, b) => a.version - b.version),
    );
    written.push(...now.filter((version) => isOther(version, stored.get(userId)?.get(version.version))));
  }
  if (written.length > 0) await tx.query(WRITE, [JSON.stringify(written)]);
}

/** Versions by their number, in the order given; of two with one number the first. */
function byUser<Version extends StatedVersion>(versions: readonly Version[]): Map<string, Map<number, Version>> {
  const users = new Map<string, Map<number, Version>>();
  for (const version of versions) {
    let ofUser = users.get(version.userId);
    if (!ofUser) users.set(version.userId, (ofUser = new Map<number, Version>()));
    if (!ofUser.has(version.version)) ofUser.set(version.version, version);
  }
  return users;
}

/** From the first of the stated versions on, and the one before it. */
async function storedVersions(
  tx: EntityManager,
  stated: ReadonlyMap<string, ReadonlyMap<number, StatedVersion>>,
): Promise<CountedVersion[]> {
  const firsts = [...stated.values()].map((versions) => Math.min(...versions.keys()));
  type Row = Omit<CountedVersion, 'mrrMicros' | 'movementMicros'> & Record<'mrrMicros' | 'movementMicros', string>;
  const rows = await tx.query<Row[]>(STORED, [[...stated.keys()], firsts]);
  return rows.map((row) => ({
    ...row,
    mrrMicros: readMicros(row.mrrMicros),
    movementMicros: readMicros(row.movementMicros),
  }));
}

const COUNTED = ['day', 'hasPaid', 'movement', 'movementMicros'] as const;

function isOther(now: CountedVersion, old: CountedVersion | undefined): boolean {
  return old === undefined || COUNTED.some((name) => now[name] !== old[name]);
}

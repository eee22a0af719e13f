import { createHash } from 'node:crypto';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

type SecurityEventKind =
  | ('registered' | 'sign_in' | 'sign_in_failed' | 'locked_out' | 'refresh_reused' | 'session_revoked')
  | ('password_changed' | 'password_reset' | 'email_changed' | 'account_deleted');

export interface SecurityEvent {
  kind: SecurityEventKind;
  /** Null for an address without an account. */
  userId: string | null;
  sessionId?: string | null;
  /** Shortened address of the caller, where there is one. */
  network?: string | null;
  /** `Origin.caller`, of a sign-in: from there this account is known. */
  caller?: string;
}

/**
 * Kept for 90 days: whatever matters for the security of accounts. It names nobody but by id. Its rows are written, counted and
 * erased, and none is read as a whole: they have no entity.
 */
@Injectable()
export class SecurityEvents {
  constructor(private readonly clock: Clock) {}

  /** @param on a data source, or the transaction that the event belongs to */
  async record(on: Pick<EntityManager, 'query'>, ...events: readonly SecurityEvent[]): Promise<void> {
    const now = this.clock.now();
    for (const { kind, userId, sessionId = null, network = null, caller } of events) {
      await on.query(
        `INSERT INTO security_events (id, user_id, session_id, kind, network, occurred_at, caller_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [uuidv7(now), userId, sessionId, kind, network, now, caller === undefined ? null : callerHash(caller)],
      );
    }
  }
}

/** So callers are kept: as long as nobody needs to read them. */
export function callerHash(caller: string): Buffer {
  return createHash('sha256').update(caller).digest();
}

const DAY_MS = 86_400_000;
const ERASED_AT_ONCE = 1_000;
const EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** The rows to erase, and when. A lockout looks back 15 minutes, and an ended session is not shown. */
const KEPT = [
  { table: 'login_failures', from: 'failed_at', days: 1 },
  { table: 'security_events', from: 'occurred_at', days: 90 },
  { table: 'sessions', from: 'least(expires_at, revoked_at)', days: 30 },
] as const;

/** Erases what sign-in need not remember any more; tokens go with their session. */
@Injectable()
export class EraseSecurityRows extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[] = [
    { name: 'erase_security_rows', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: (isLate) => this.eraseOld(isLate) },
  ];

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @returns whether there is more to erase */
  async eraseOld(isLate: () => boolean = () => false): Promise<boolean> {
    let more = false;
    for (const { table, from, days } of KEPT) {
      if (isLate()) return true;
      const before = new Date(this.clock.now().getTime() - days * DAY_MS);
      const [, erased] = await this.dataSource.query<[unknown[], number]>(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${from} < $1 LIMIT ${ERASED_AT_ONCE})`,
        [before],
      );
      more ||= erased === ERASED_AT_ONCE;
    }
    return more;
  }
}

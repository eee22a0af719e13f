import { createHash } from 'node:crypto';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

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

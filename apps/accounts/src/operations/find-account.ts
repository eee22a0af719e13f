import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { tierAt } from '../entitlements/plan-refusals';
import { triedAddressKey } from '../security/mail-address';

/** An account as an operator sees it: nothing that the person wrote. */
export interface FoundAccount {
  id: string;
  createdAt: Date;
  emailVerified: boolean;
  tier: string;
  liveSessions: number;
  lastUsedAt: Date | null;
  activeHabits: number;
  logs: number;
}

const FIND = `
  SELECT u.id, u.created_at AS "createdAt", u.email_verified_at IS NOT NULL AS "emailVerified", e.access_until AS "accessUntil",
    (SELECT count(*)::integer FROM sessions s WHERE s.user_id = u.id AND s.revoked_at IS NULL AND s.expires_at > $2)
      AS "liveSessions",
    (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id) AS "lastUsedAt",
    (SELECT count(*)::integer FROM habits h WHERE h.user_id = u.id AND h.archived_at IS NULL) AS "activeHabits",
    (SELECT count(*)::integer FROM habit_logs l WHERE l.user_id = u.id) AS logs
  FROM users u LEFT JOIN entitlements e ON e.user_id = u.id
  WHERE u.deleted_at IS NULL AND (u.email_key = $1 OR u.id::text = $1)`;

/** Finds an account by its address, or by its id. */
@Injectable()
export class FindAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async execute(addressOrId: string): Promise<FoundAccount | null> {
    const now = this.clock.now();
    const [found] = await this.dataSource.query<(Omit<FoundAccount, 'tier'> & { accessUntil: Date | null })[]>(FIND, [
      triedAddressKey(addressOrId),
      now,
    ]);
    if (!found) return null;
    const { accessUntil, ...account } = found;
    return { ...account, tier: tierAt(accessUntil, now) };
  }
}

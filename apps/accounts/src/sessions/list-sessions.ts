import { Clock } from '@evenkeel/kernel';
import type { SignedIn } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SessionsView } from './session-view';

interface Row {
  id: string;
  createdAt: Date;
  lastUsedAt: Date;
  userAgent: string | null;
  network: string;
}

/** The live sessions of a user, newest first. */
@Injectable()
export class ListSessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, sessionId }: SignedIn): Promise<SessionsView> {
    const rows = await this.dataSource.query<Row[]>(
      `SELECT id, signed_in_at AS "createdAt", last_used_at AS "lastUsedAt", user_agent AS "userAgent", network
       FROM sessions WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2 ORDER BY signed_in_at DESC, id DESC`,
      [userId, this.clock.now()],
    );
    const sessions = rows.map(({ id, createdAt, lastUsedAt, userAgent, network }) => ({
      ...{ id, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt.toISOString(), userAgent, network },
      current: id === sessionId,
    }));
    return { sessions, count: sessions.length };
  }
}

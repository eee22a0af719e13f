import { LiveSessions, type AccessClaims } from '@evenkeel/platform/auth';
import { Clock } from '@evenkeel/kernel';
import { BatchedReads, poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { USER_COLUMNS, type AccountUser } from '../users/account-user';

const FIND = {
  name: 'live-sessions',
  text: `
    SELECT ${USER_COLUMNS}, s.id AS "sessionId", s.signed_in_at AS "signedInAt"
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN entitlements e ON e.user_id = u.id
    WHERE s.id = ANY ($1) AND s.revoked_at IS NULL AND s.expires_at > $2 AND u.deleted_at IS NULL`,
};

/**
 * Session and user, read on every request, by one statement for all requests that came together: nothing is cached, so a session
 * that ends is over at once.
 */
@Injectable()
export class LiveAccountSessions extends LiveSessions<AccountUser> {
  private readonly sessions = new BatchedReads((ids) => this.findAll(ids));

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find({ sub, sid }: AccessClaims): Promise<AccountUser | null> {
    const [user] = await this.sessions.find(sid);
    return user?.userId === sub ? user : null;
  }

  private async findAll(sessionIds: string[]): Promise<ReadonlyMap<string, AccountUser>> {
    const values = [sessionIds, this.clock.now()];
    const { rows } = await poolOf(this.dataSource).query<AccountUser>({ ...FIND, values });
    return new Map(rows.map((user) => [user.sessionId, user]));
  }
}

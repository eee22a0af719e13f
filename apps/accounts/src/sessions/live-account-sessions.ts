import { LiveSessions, type AccessClaims } from '@evenkeel/platform/auth';
import { Clock } from '@evenkeel/kernel';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { USER_COLUMNS, type AccountUser } from '../users/account-user';

const COLUMNS = Object.entries(USER_COLUMNS).map(([member, column]) => `${column} AS "${member}"`);
const FIND = {
  name: 'live-sessions',
  text: `
    SELECT ${COLUMNS.join(', ')}, s.id AS "sessionId", s.signed_in_at AS "signedInAt"
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN entitlements e ON e.user_id = u.id
    WHERE s.id = $1 AND s.revoked_at IS NULL AND s.expires_at > $2 AND u.deleted_at IS NULL`,
};

/** Session and user, read on every request by one prepared statement: nothing is cached, so a session that ends is over at once. */
@Injectable()
export class LiveAccountSessions extends LiveSessions<AccountUser> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find({ sub, sid }: AccessClaims): Promise<AccountUser | null> {
    const values = [sid, this.clock.now()];
    const [user] = (await poolOf(this.dataSource).query<AccountUser>({ ...FIND, values })).rows;
    return user?.userId === sub ? user : null;
  }
}

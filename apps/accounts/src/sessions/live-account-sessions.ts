import { LiveSessions, type AccessClaims } from '@evenkeel/platform/auth';
import { Clock } from '@evenkeel/kernel';
import { BatchedReads, JoinedStatements, openAhead, openPool, poolOf } from '@evenkeel/platform/persistence';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { USER_COLUMNS, type AccountUser, type WeekStart } from '../users/account-user';

const COLUMNS = [...Object.values(USER_COLUMNS), 's.id', 'extract(epoch FROM s.signed_in_at) * 1000'];

/** One value for all users: `pg` takes longer for columns and instants than V8 for JSON. */
const FIND = {
  name: 'live-sessions',
  text: `
    SELECT json_agg(json_build_array(${COLUMNS.join(', ')})) AS users
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN entitlements e ON e.user_id = u.id
    WHERE s.id = ANY ($1) AND s.revoked_at IS NULL AND s.expires_at > $2 AND u.deleted_at IS NULL`,
};

/** The second is for what comes while the first one hangs. */
const CONNECTIONS = 2;

/**
 * Session and user, read on every request, by one statement for all requests that came together: nothing is cached, so a session
 * that ends is over at once. On connections of its own: a request waits for no import, and PostgreSQL plans the statement once.
 */
@Injectable()
export class LiveAccountSessions extends LiveSessions<AccountUser> implements OnApplicationShutdown {
  private readonly pool: ReturnType<typeof openPool>;
  private readonly joined: JoinedStatements;
  private readonly sessions = new BatchedReads((ids) => this.findAll(ids));

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
    this.pool = openPool(dataSource.options, { max: CONNECTIONS, keepPlans: true });
    this.joined = new JoinedStatements(this.pool);
  }

  async find({ sub, sid }: AccessClaims): Promise<AccountUser | null> {
    // Most requests go on with a connection of the others: it is opened while the session is read, not afterwards.
    openAhead(poolOf(this.dataSource));
    const [user] = await this.sessions.find(sid);
    return user?.userId === sub ? user : null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  private async findAll(sessionIds: string[]): Promise<ReadonlyMap<string, AccountUser>> {
    // As PostgreSQL reads them: `pg` takes longer to write an array and an instant.
    const values = [`{${sessionIds.join(',')}}`, this.clock.now().toISOString()];
    const { rows } = await this.joined.query<{ users: UserInJson[] | null }>({ ...FIND, values });
    const users = rows[0]!.users ?? [];
    return new Map(users.map(userOf).map((user) => [user.sessionId, user]));
  }
}

/** In the order of `COLUMNS`. */
type UserInJson = [
  userId: string,
  email: string,
  displayName: string | null,
  emailVerified: boolean,
  passwordBreached: boolean,
  timezone: string | null,
  locale: string,
  dayStartMinutes: number,
  weekStart: WeekStart,
  createdAt: string,
  accessUntil: string | null,
  sessionId: string,
  signedInAtMs: number,
];

function userOf(user: UserInJson): AccountUser {
  const accessUntil = user[10];
  return {
    userId: user[0],
    email: user[1],
    displayName: user[2],
    emailVerified: user[3],
    passwordBreached: user[4],
    timezone: user[5],
    locale: user[6],
    dayStartMinutes: user[7],
    weekStart: user[8],
    createdAt: user[9],
    accessUntil: accessUntil === null ? null : new Date(accessUntil),
    sessionId: user[11],
    signedInAt: new Date(user[12]),
  };
}

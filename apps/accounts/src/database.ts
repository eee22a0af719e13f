import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import type { AccountsConfig } from './accounts.config';
import { Habit } from './habits/habit.entity';
import { Mail, MailToken, ResetRequest } from './mails/mails.entities';
import { CreateAccounts1795873500000 } from './migrations/20261128134500-create-accounts';
import { AddCallerToSessions1796031900000 } from './migrations/20261130094500-add-caller-to-sessions';
import { Session, StoredRefreshToken, User } from './users/users.entities';

export const ENTITIES = [User, Session, StoredRefreshToken, MailToken, Mail, ResetRequest, Habit];
export const MIGRATIONS = [CreateAccounts1795873500000, AddCallerToSessions1796031900000];

type Settings = Pick<AccountsConfig, 'DATABASE_URL'> & Partial<Pick<AccountsConfig, 'DB_POOL_MAX'>>;

export function databaseOptions({ DATABASE_URL, DB_POOL_MAX }: Settings): DataSourceOptions {
  return postgresOptions({
    url: DATABASE_URL,
    poolMax: DB_POOL_MAX,
    statementMs: SHORT_STATEMENT_MS,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    applicationName: 'accounts',
  });
}

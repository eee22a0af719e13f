import { randomBytes } from 'node:crypto';
import { Clock } from '@evenkeel/kernel';
import {
  BadUsage,
  CommandLine,
  operatorOf,
  runCommand,
  text,
  withModule,
  type Streams,
} from '@evenkeel/platform/command-line';
import { fromFiles, loadConfig, type Environment, newEs256Key } from '@evenkeel/platform/config';
import { OperatorActions } from '@evenkeel/platform/persistence';
import { coreModule } from '@evenkeel/platform/service';
import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DeleteAccount } from '../account/delete-account';
import { AccountsConfig } from '../accounts.config';
import { tierAt } from '../entitlements/plan-refusals';
import { triedAddressKey } from '../security/mail-address';
import { SecurityModule } from '../security/security.module';
import { ACCOUNTS } from '../service';
import { EndSessions } from '../sessions/end-sessions';
import { lockUser } from '../users/lock-user';

/** An account as operators see it: nothing that the person wrote. */
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

/** In SQL: counts in five tables, at one moment. */
const READ = `
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
    const [found] = await this.dataSource.query<(Omit<FoundAccount, 'tier'> & { accessUntil: Date | null })[]>(READ, [
      triedAddressKey(addressOrId),
      now,
    ]);
    if (!found) return null;
    const { accessUntil, ...account } = found;
    return { ...account, tier: tierAt(accessUntil, now) };
  }
}

/** An action of an operator on an account. */
interface Action {
  /** Its name in `operator_actions`. */
  name: string;
  about: string;
  /** Whether it changes anything: then somebody has to say why. */
  changes: boolean;
  execute(account: FoundAccount, use: AccountUseCases): Promise<{ said: string; after: object }>;
}

interface AccountUseCases {
  endSessions: EndSessions;
  dataSource: DataSource;
  remove: DeleteAccount;
}

const FIND: Action = {
  name: 'account:find',
  about: `Shows what is known of an account, by the address or the id of its person: nothing that they wrote.`,
  changes: false,
  execute: async (account) => ({ said: describe(account), after: {} }),
};

const REVOKE: Action = {
  name: 'account:revoke',
  about: `Ends every session of an account. Other services refuse its access tokens within a second.`,
  changes: true,
  execute: async ({ id }, { endSessions, dataSource }) => {
    const { length: sessions } = await dataSource.transaction(async (tx) => {
      await lockUser(tx, id);
      return endSessions.execute(tx, id, { all: true });
    });
    return { said: `Ended ${sessions} session${sessions === 1 ? '' : 's'} of ${id}.\n`, after: { sessions } };
  },
};

const DELETE: Action = {
  name: 'account:delete',
  about: `Deletes an account for good: at once no sign-in and no answer has it, its subscription ends, and its rows are
erased within a day. There is no way back.`,
  changes: true,
  execute: async ({ id }, { remove }) => {
    const receipt = await remove.execute(id);
    if (!receipt) throw new Error('The account was deleted meanwhile.');
    const { receiptId, erasedBy } = receipt;
    return {
      said: `Deleted ${id}. Receipt ${receiptId}; its rows are gone by ${erasedBy.toISOString()}.\n`,
      after: { receiptId },
    };
  },
};

const ACTIONS: Readonly<Record<string, Action>> = { find: FIND, revoke: REVOKE, delete: DELETE };

interface Wanted {
  /** Address or id. */
  who: string;
  why: string;
}

function commandOf({ name, about, changes }: Action) {
  return new CommandLine({
    call: `npm run ${name}`,
    about: `${about} Each use is stored in the table operator_actions, under the id of the account.`,
    usage: [`npm run ${name} -- <address or id>${changes ? ' --why <text>' : ''}`],
    options: {
      why: text({ placeholder: 'text', help: 'what it is for: a ticket, a request', matches: /\S/, must: 'say why' }),
    },
    environment: {
      DATABASE_URL: 'database of accounts; of a local run: set -a; . .data/accounts.env',
      OPERATOR: 'who you are (user of the system)',
    },
    ends: 'Ends with 0 when it is done, 1 when there is no such account, 2 when the command could not be carried out.',
    takesArguments: true,
    read: ({ why }, [who = '', ...more]): Wanted => {
      if (who === '' || more.length > 0) throw new BadUsage('name one account, by its address or its id');
      if (changes && why === undefined) throw new BadUsage('--why must say what it is for');
      return { who, why: why ?? '' };
    },
  });
}

/**
 * The command line of one action.
 * @param args the action, then what follows its name
 * @returns the exit code
 */
export function run([name = '', ...args]: string[], env: Environment, streams: Streams): Promise<number> {
  const action = ACTIONS[name] ?? FIND;
  const work = async ({ who, why }: Wanted, { out, err }: Streams): Promise<0 | 1> => {
    const operator = operatorOf(env);
    return withModule(operatorModule(env), async (app) => {
      const account = await app.get(FindAccount).execute(who);
      if (!account) {
        err('There is no account of this address or id.\n');
        return 1;
      }
      const actions = app.get(OperatorActions);
      const entry = { operator, action: action.name, subject: account.id, arguments: { why } };
      if (action.changes) await actions.add({ ...entry, step: 'begun' });
      const use = {
        endSessions: app.get(EndSessions),
        dataSource: app.get(DataSource),
        remove: app.get(DeleteAccount),
      };
      const { said, after } = await action.execute(account, use);
      await actions.add({ ...entry, step: 'done', after });
      out(said);
      return 0;
    });
  };
  return runCommand(commandOf(action), args, streams, work, { badUsage: 2, failed: 2 });
}

function describe(account: FoundAccount): string {
  const lines = Object.entries(account).map(([name, value]) => {
    const shown: unknown = value instanceof Date ? value.toISOString() : value;
    return `${name.padEnd(14)} ${String(shown)}`;
  });
  return `${lines.join('\n')}\n`;
}

@Module({
  imports: [SecurityModule],
  providers: [FindAccount, EndSessions, DeleteAccount, OperatorActions],
})
class AccountOperationsModule {}

class OperatorModule {}

/** No token is made or read here, so the keys for that may be missing. */
function operatorModule(env: Environment): DynamicModule {
  const given = fromFiles([AccountsConfig], env);
  const config = loadConfig(AccountsConfig, {
    ...given,
    JWT_KEYS: given.JWT_KEYS || newEs256Key('unused'),
    REFRESH_TOKEN_KEYS: given.REFRESH_TOKEN_KEYS || `unused:${randomBytes(32).toString('base64')}`,
  });
  return { module: OperatorModule, imports: [coreModule(ACCOUNTS, config), AccountOperationsModule] };
}

import { randomBytes } from 'node:crypto';
import { Clock } from '@evenkeel/kernel';
import {
  Command,
  InvalidArgumentError,
  operatorOf,
  Option,
  runCommand,
  withModule,
  type Streams,
} from '@evenkeel/platform/command-line';
import { fromFiles, loadConfig, type Environment, newEs256Key } from '@evenkeel/platform/config';
import { OperatorActions } from '@evenkeel/platform/persistence';
import { coreModule } from '@evenkeel/platform/service';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DeleteAccount } from '../account/delete-account';
import { AccountsConfig } from '../accounts.config';
import { tierAt } from '../entitlements/plan-refusals';
import { triedAddressKey } from '../security/mail-address';
import { SecurityModule } from '../security/lockout';
import { ACCOUNTS } from '../service';
import { EndSessions } from '../sessions/end-sessions';
import { lockUser } from '../users/lock-user';

/** In SQL: counts in five tables, at one moment. By address or id, and nothing that the person wrote. */
const READ = `
  SELECT u.id, u.created_at AS "createdAt", u.email_verified_at IS NOT NULL AS "emailVerified", e.access_until AS "accessUntil",
    (SELECT count(*)::integer FROM sessions s WHERE s.user_id = u.id AND s.revoked_at IS NULL AND s.expires_at > $2)
      AS "liveSessions",
    (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id) AS "lastUsedAt",
    (SELECT count(*)::integer FROM habits h WHERE h.user_id = u.id AND h.archived_at IS NULL) AS "activeHabits",
    (SELECT count(*)::integer FROM habit_logs l WHERE l.user_id = u.id) AS logs
  FROM users u LEFT JOIN entitlements e ON e.user_id = u.id
  WHERE u.deleted_at IS NULL AND (u.email_key = $1 OR u.id::text = $1)`;

/** What operators do with accounts needs the services of the application. */
type App = Pick<INestApplicationContext, 'get'>;

/** @returns the id, and what is known as lines; null when there is no such account */
async function find(app: App, addressOrId: string): Promise<{ id: string; described: string } | null> {
  const now = app.get(Clock).now();
  const values = [triedAddressKey(addressOrId), now];
  const [found] = await app.get(DataSource).query<({ id: string; accessUntil: Date | null } & object)[]>(READ, values);
  if (!found) return null;
  const { accessUntil, ...account } = found;
  const lines = Object.entries({ ...account, tier: tierAt(accessUntil, now) }).map(
    ([name, value]: [string, unknown]) => {
      const shown = value instanceof Date ? value.toISOString() : value;
      return `${name.padEnd(14)} ${String(shown)}\n`;
    },
  );
  return { id: found.id, described: lines.join('') };
}

interface Action {
  about: string;
  /** Absent where it changes nothing; else somebody has to say why. */
  change?: (app: App, id: string) => Promise<{ said: string; after: object }>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  find: {
    about: 'Shows what is known of an account, by the address or the id of its person: nothing that they wrote.',
  },
  revoke: {
    about: 'Ends every session of an account. Other services refuse its access tokens within a second.',
    change: async (app, id) => {
      const { length: sessions } = await app.get(DataSource).transaction(async (tx) => {
        await lockUser(tx, id);
        return app.get(EndSessions).execute(tx, id, { all: true });
      });
      return { said: `Ended ${sessions} session${sessions === 1 ? '' : 's'} of ${id}.\n`, after: { sessions } };
    },
  },
  delete: {
    about: `Deletes an account for good: at once no sign-in and no answer has it, its subscription ends, and its rows are
erased within a day. There is no way back.`,
    change: async (app, id) => {
      const receipt = await app.get(DeleteAccount).execute(id);
      if (!receipt) throw new Error('The account was deleted meanwhile.');
      const { receiptId, erasedBy } = receipt;
      const said = `Deleted ${id}. Receipt ${receiptId}; its rows are gone by ${erasedBy.toISOString()}.\n`;
      return { said, after: { receiptId } };
    },
  },
};

interface Wanted {
  /** Address or id. */
  who: string;
  why: string;
}

function commandOf(name: string, { about, change }: Action) {
  const why = new Option('--why <text>', 'what it is for: a ticket, a request').argParser((typed) => {
    if (/\S/.test(typed)) return typed;
    throw new InvalidArgumentError('It must say what it is for.');
  });
  return new Command(`npm run account:${name} --`)
    .description(`${about} Each use is stored in the table operator_actions, under the id of the account.`)
    .argument('<address or id>', 'of one account')
    .addOption(why.makeOptionMandatory(change !== undefined))
    .addHelpText(
      'after',
      `
Environment:
  DATABASE_URL  database of accounts; of a local run: set -a; . .data/accounts.env
  OPERATOR      who you are (user of the system)

Ends with 0 when it is done, 1 when there is no such account, 2 when the command could not be carried out.`,
    );
}

/**
 * The command line of one action.
 * @param args the action, then what follows its name
 * @returns the exit code
 */
export function run([name = '', ...args]: string[], env: Environment, streams: Streams): Promise<number> {
  const [action, { about, change }] = name in ACTIONS ? [name, ACTIONS[name]!] : ['find', ACTIONS['find']!];
  const work = async ({ who, why }: Wanted, { out, err }: Streams): Promise<0 | 1> => {
    const operator = operatorOf(env);
    return withModule(operatorModule(env), async (app) => {
      const actions = app.get(OperatorActions);
      const account = await find(app, who);
      if (!account) {
        err('There is no account of this address or id.\n');
        return 1;
      }
      const entry = { operator, action: `account:${action}`, subject: account.id, arguments: { why } };
      if (change) await actions.add({ ...entry, step: 'begun' });
      const { said, after } = change ? await change(app, account.id) : { said: account.described, after: {} };
      await actions.add({ ...entry, step: 'done', after });
      out(said);
      return 0;
    });
  };
  return runCommand(
    commandOf(action, { about, change }),
    args,
    streams,
    ({ why = '', args: [who] }, safe) => work({ who, why }, safe),
    { badUsage: 2, failed: 2 },
  );
}

@Module({
  imports: [SecurityModule],
  providers: [EndSessions, DeleteAccount, OperatorActions],
})
class AccountOperationsModule {}

/** No token is made or read here, so the keys for that may be missing. */
function operatorModule(env: Environment): DynamicModule {
  const given = fromFiles([AccountsConfig], env);
  const config = loadConfig(AccountsConfig, {
    ...given,
    JWT_KEYS: given.JWT_KEYS || newEs256Key('unused'),
    REFRESH_TOKEN_KEYS: given.REFRESH_TOKEN_KEYS || `unused:${randomBytes(32).toString('base64')}`,
  });
  return { module: class OperatorModule {}, imports: [coreModule(ACCOUNTS, config), AccountOperationsModule] };
}

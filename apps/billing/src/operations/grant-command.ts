import { Clock, uuidv7 } from '@evenkeel/kernel';
import {
  Command,
  InvalidArgumentError,
  operatorOf,
  readInstant,
  runCommand,
  withModule,
  type Streams,
} from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { OperatorActions, type OperatorAction } from '@evenkeel/platform/persistence';
import { Module } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { operatorModule } from '../service';
import { PublishAccess } from '../subscriptions/publish-access';
import { Grant, Person } from '../subscriptions/subscriptions.entities';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';

interface Wanted {
  /** A user, or a grant. */
  id: string;
  /** Null: without an end. */
  until: Date | null;
  note: string;
}

interface Outcome {
  said: string;
  /** Null: nothing has changed. */
  after: object | null;
}

/** Premium that an operator gives by hand, or takes back. The transaction of the change publishes it. */
type Change = (tx: EntityManager, publish: PublishAccess, now: Date, wanted: Wanted) => Promise<Outcome>;

/** To somebody whom billing knows, and who has not left. */
const give: Change = async (tx, publish, now, { id: userId, until, note }) => {
  const where = { userId, deletedAt: IsNull() };
  const person = await tx.findOne(Person, { where, lock: { mode: 'pessimistic_read' } });
  if (!person) return { said: 'There is no user of this id.\n', after: null };
  const grantId = uuidv7(now);
  await tx.insert(Grant, { id: grantId, userId, until, note, grantedAt: now });
  await publish.execute(tx, userId, { cause: 'operator.grant', changedAt: now });
  const end = until === null ? 'without an end' : `until ${until.toISOString()}`;
  return { said: `Granted Premium to ${userId} ${end}. Grant ${grantId}.\n`, after: { grantId } };
};

const revoke: Change = async (tx, publish, now, { id }) => {
  const where = { id, revokedAt: IsNull() };
  const grant = await tx.findOne(Grant, { where, lock: { mode: 'pessimistic_write' } });
  if (!grant) return { said: 'There is no live grant of this id.\n', after: null };
  const { userId } = grant;
  await tx.update(Grant, { id }, { revokedAt: now });
  await publish.execute(tx, userId, { cause: 'operator.revoke', changedAt: now });
  return { said: `Revoked grant ${id} of ${userId}.\n`, after: { userId } };
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const STORED = 'Each use is stored in the table operator_actions.';
const ENVIRONMENT = `
Environment:
  DATABASE_URL  database of billing; of a local run: set -a; . .data/billing.env
  OPERATOR      who you are (user of the system)
`;

const GRANT = new Command('npm run billing:grant --')
  .description(
    `Gives a user Premium without a payment, until a date or until it is taken back. It shows within a second, and its id is
printed. ${STORED}`,
  )
  .argument('<user id>', 'who gets it', idOf)
  .requiredOption('--until <date|open>', 'when it ends, in UTC: 2026-12-31 is its first minute; open: never', endOf)
  .requiredOption('--note <text>', 'what it is for: a ticket, a competition; no name and no address', noteOf)
  .addHelpText(
    'after',
    `${ENVIRONMENT}
Ends with 0 when it is done, 1 when there is no such user, 2 when the command could not be carried out.`,
  );

const REVOKE = new Command('npm run billing:revoke --')
  .description(`Takes back what billing:grant gave. Other access of the user stays. ${STORED}`)
  .argument('<grant id>', 'as billing:grant printed it', idOf)
  .option('--note <text>', 'why', '')
  .addHelpText(
    'after',
    `${ENVIRONMENT}
Ends with 0 when it is done, 1 when there is no such grant or it was taken back before, 2 when the command could not be
carried out.`,
  );

function idOf(typed: string): string {
  if (UUID.test(typed)) return typed.toLowerCase();
  throw new InvalidArgumentError('It must be an id.');
}

function noteOf(typed: string): string {
  if (/\S/.test(typed)) return typed;
  throw new InvalidArgumentError('It must say what it is for.');
}

function endOf(typed: string): Date | 'open' {
  if (typed === 'open') return typed;
  const at = readInstant(typed);
  if (at) return at;
  throw new InvalidArgumentError(
    'It must be a date such as 2026-12-31, an instant such as 2026-12-31T18:00:00Z, or open.',
  );
}

/**
 * The command line of grants.
 * @param args `grant` or `revoke`, then what follows its name
 * @returns the exit code
 */
export function run([name = '', ...args]: string[], env: Environment, streams: Streams): Promise<number> {
  const isRevoke = name === 'revoke';
  const work = (wanted: Wanted, { out, err }: Streams): Promise<0 | 1> =>
    withModule(operatorModule(env, GrantsModule), async (app) => {
      const { id: subject, until, note } = wanted;
      const now = app.get(Clock).now();
      if (until !== null && until <= now) throw new Error('--until is over already.');
      const entry: Omit<OperatorAction, 'step'> = {
        operator: operatorOf(env),
        action: `billing:${isRevoke ? 'revoke' : 'grant'}`,
        subject,
        arguments: isRevoke ? { note } : { until: until?.toISOString() ?? 'open', note },
      };
      const actions = app.get(OperatorActions);
      await actions.add({ ...entry, step: 'begun' });
      const change = isRevoke ? revoke : give;
      const { said, after } = await app
        .get(DataSource)
        .transaction((tx) => change(tx, app.get(PublishAccess), now, wanted));
      await actions.add({ ...entry, ...(after === null ? { step: 'unchanged' } : { step: 'done', after }) });
      (after === null ? err : out)(said);
      return after === null ? 1 : 0;
    });
  const codes = { badUsage: 2, failed: 2 };
  if (isRevoke) {
    return runCommand(
      REVOKE,
      args,
      streams,
      ({ note, args: [id] }, safe) => work({ id, until: null, note }, safe),
      codes,
    );
  }
  return runCommand(
    GRANT,
    args,
    streams,
    ({ until, note, args: [id] }, safe) => work({ id, until: until === 'open' ? null : until, note }, safe),
    codes,
  );
}

@Module({ imports: [SubscriptionsModule], providers: [OperatorActions] })
class GrantsModule {}

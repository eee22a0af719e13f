import type { EntityManager } from 'typeorm';
import { auditBilling } from '../audited.fixture';
import type { Billing } from '../billing.fixture';
import type { TakenEvent } from './read-event';
import { TakeEvent } from './take-event';

interface Row {
  id: string;
  user_id: string | null;
  status: string;
  access_until: Date | null;
  state: Record<string, unknown>;
}

/** Everything that events leave. */
export interface Come {
  subscriptions: Row[];
  /** The last published access of each user. */
  access: object[];
  /** Published money; only some events name the invoice of a refund. */
  money: { type: string; subject: string; payload: { amountMicros: number } }[];
  /** Rows that break a promise. */
  offences: object[];
  /** Subscriptions that the worker reads at the provider next, because events of one second say different things. */
  unsure: { id: string }[];
}

const SUBSCRIPTIONS = `
  SELECT subscription_id AS id, user_id, status, access_until, state, folded_events, folded_ids FROM subscriptions
  ORDER BY 1`;

const ACCESS = `
  SELECT DISTINCT ON (aggregate) aggregate, payload::jsonb - 'version' - 'cause' - 'changedAt' AS told FROM outbox
  WHERE type = 'subscription.changed' ORDER BY aggregate, aggregate_seq DESC`;

const MONEY = `
  SELECT type, subject, payload::jsonb - 'invoiceId' AS payload FROM outbox WHERE type <> 'subscription.changed'
  ORDER BY type, subject, payload->>'kind'`;

const UNSURE = `SELECT id FROM provider_reads WHERE kind = 'subscription'`;

/** The result of events in an empty store. Nothing is kept. */
export async function comeTo(billing: Billing, events: readonly TakenEvent[]): Promise<Come> {
  await billing.know();
  const takeEvent = billing.app.get(TakeEvent);
  const undo = new Error('undo');
  let come: Come | undefined;
  const apply = async (tx: EntityManager) => {
    for (const event of events) await takeEvent.take(tx, event);
    come = {
      subscriptions: await tx.query<Row[]>(SUBSCRIPTIONS),
      access: await tx.query<object[]>(ACCESS),
      money: await tx.query<Come['money']>(MONEY),
      offences: await auditBilling(tx),
      unsure: await tx.query<Come['unsure']>(UNSURE),
    };
    throw undo;
  };
  await billing.database.dataSource.transaction(apply).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  return come!;
}

/** The visible state of subscriptions, whichever events it is from. */
export function visible({ subscriptions }: Pick<Come, 'subscriptions'>): ({ id: string } & Record<string, unknown>)[] {
  return subscriptions.map(({ id, user_id, access_until, state }) => ({
    ...state,
    // Independent of the events received.
    id,
    user_id,
    access_until,
    isFinal: undefined,
    latestInvoice: undefined,
    checkoutPlan: undefined,
  }));
}

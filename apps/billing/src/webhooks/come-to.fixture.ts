import { auditBilling } from '../audited.fixture';
import type { Billing } from '../billing.fixture';
import type { TakenEvent } from './read-event';
import { TakeEvent } from './take-event';

/** By name: rows that events leave, and which of a subscription the worker reads next. */
const LEFT = {
  subscriptions: `SELECT subscription_id AS id, user_id, status, access_until, state, folded_events, folded_ids
    FROM subscriptions ORDER BY 1`,
  /** The last published access of each user. */
  access: `SELECT DISTINCT ON (aggregate) aggregate, payload::jsonb - 'version' - 'cause' - 'changedAt' AS said
    FROM outbox WHERE type = 'subscription.changed' ORDER BY aggregate, aggregate_seq DESC`,
  /** Only some events name the invoice of a refund. */
  money: `SELECT type, subject, payload::jsonb - 'invoiceId' AS payload FROM outbox
    WHERE type <> 'subscription.changed' ORDER BY type, subject, payload->>'kind'`,
  unsure: `SELECT id FROM provider_reads WHERE kind = 'subscription'`,
};

type Left = Record<keyof typeof LEFT, Record<string, unknown>[]>;

/** The result of events in an empty store, with rows that break a promise. Nothing is kept. */
export async function comeTo(billing: Billing, events: readonly TakenEvent[]): Promise<Left & { offences: object[] }> {
  await billing.know();
  const runner = billing.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    for (const event of events) await billing.app.get(TakeEvent).take(runner.manager, event);
    const left = {} as Left;
    for (const name of Object.keys(LEFT) as (keyof Left)[]) {
      left[name] = (await runner.query(LEFT[name])) as Left[typeof name];
    }
    return { ...left, offences: await auditBilling(runner.manager) };
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** The visible state of subscriptions, whichever events it is from. */
export function visible({ subscriptions }: Pick<Left, 'subscriptions'>): object[] {
  return subscriptions.map(({ id, user_id, access_until, state }) => {
    const { latestInvoice: _, checkoutPlan: __, isFinal: ___, ...seen } = state as Record<string, unknown>;
    return { ...seen, id, user_id, access_until };
  });
}

import { isDeepStrictEqual } from 'node:util';
import { audit } from '@evenkeel/ops/audit';
import { InvoiceAdjusted, InvoicePaid, schemaOf, SubscriptionChanged } from '@evenkeel/contracts';
import { compileValidator } from '@evenkeel/platform/validation';
import type { DataSource } from 'typeorm';
import { accessUntil } from './subscriptions/access';
import type { FoldedState, PlacedFact } from './subscriptions/facts';
import { fold } from './subscriptions/fold';

const TERMS = { graceDays: 7, renewalGraceHours: 72 };
const PUBLISHED = new Map(
  [SubscriptionChanged, InvoicePaid, InvoiceAdjusted].map((event) => [
    event.type,
    compileValidator(schemaOf(event, { closed: true })),
  ]),
);

interface Row {
  id: string;
  state: FoldedState;
  until: Date | null;
  facts: (Omit<PlacedFact, 'created'> & { created: string })[];
}

/**
 * Everything that breaks a promise in the database of billing: the audit, every subscription whose row is not the fold of
 * its stored facts, whose access is not that of its state under the settings by default, and every published event that
 * does not fit its class. For the end of a test, when nothing is at work any more.
 */
export async function auditBilling(dataSource: Pick<DataSource, 'query'>): Promise<object[]> {
  const subscriptions = await dataSource.query<Row[]>(`
    SELECT s.subscription_id AS id, s.state, s.access_until AS until,
      jsonb_agg(jsonb_build_object('id', e.id, 'created', e.created, 'fact', e.fact)) AS facts
    FROM subscriptions s LEFT JOIN provider_events e ON e.subscription_id = s.subscription_id AND e.fact IS NOT NULL
    GROUP BY s.subscription_id`);
  const differing = subscriptions.flatMap(({ id, state, until, facts }) => {
    const folded = fold(facts.map((fact) => ({ ...fact, created: new Date(fact.created) })));
    const access = accessUntil(folded, TERMS);
    const isSame = isDeepStrictEqual(folded, state) && access?.getTime() === until?.getTime();
    return isSame ? [] : [{ id, state, until, folded, access }];
  });
  const events = await dataSource.query<{ type: string; payload: object }[]>('SELECT type, payload FROM outbox');
  const unfit = events.filter(({ type, payload }) => PUBLISHED.get(type)?.(payload) !== true);
  return [...(await audit(dataSource)), ...differing, ...unfit];
}

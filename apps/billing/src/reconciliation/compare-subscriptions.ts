import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { textAt, userIdAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import type { FoldedState, WholeSubscription } from '../subscriptions/facts';
import { WHOLE_SUBSCRIPTION } from '../subscriptions/event-of-answer';
import { readSubscription } from '../subscriptions/read-subscription';
import { differing, type Comparison, type Difference } from './difference';
import { findThere, pagesOf } from './provider-lists';

interface Ours {
  id: string;
  state: FoldedState;
}

/** Every subscription that has not ended, here or there. */
@Injectable()
export class CompareSubscriptions implements Comparison {
  readonly name = 'subscriptions';

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
  ) {}

  async suspects(): Promise<{ compared: number; ids: string[] }> {
    const expand = WHOLE_SUBSCRIPTION.expand.map((path) => `data.${path}`);
    const [seen, ids] = [new Set<string>(), [] as string[]];
    for await (const page of pagesOf(this.provider, (stripe, at) => stripe.subscriptions.list({ ...at, expand }))) {
      const theirs = new Map(page.map((object) => [textAt(object, 'id') ?? '', object]));
      const ours = new Map((await this.ours([...theirs.keys()])).map((row) => [row.id, row]));
      for (const [id, object] of theirs) {
        seen.add(id);
        if (this.compare(id, ours.get(id), object)) ids.push(id);
      }
    }
    const live = await this.dataSource.query<{ id: string }[]>(
      `SELECT subscription_id AS id FROM subscriptions WHERE NOT (state->>'isFinal')::boolean`,
    );
    const alone = live.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
    return { compared: seen.size + alone.length, ids: [...ids, ...alone] };
  }

  async check(id: string): Promise<Difference | null> {
    const theirs = await findThere(this.provider, (stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION));
    const [ours] = await this.ours([id]);
    return this.compare(id, ours, theirs);
  }

  private ours(ids: readonly string[]): Promise<Ours[]> {
    return this.dataSource.query(
      'SELECT subscription_id AS id, state FROM subscriptions WHERE subscription_id = ANY ($1)',
      [ids],
    );
  }

  private compare(subject: string, ours: Ours | undefined, object: ProviderObject | null): Difference | null {
    const theirs = object && readSubscription(object, this.config.planOfPrice);
    if (ours === undefined) return this.onlyThere(subject, object, theirs);
    if (theirs === null) {
      const detail = `${ours.state.status} here, and not known there`;
      return ours.state.isFinal ? null : { kind: 'subscription_ours_only', subject, detail };
    }
    const detail = differing(ours.state, membersOf(theirs));
    return detail === '' ? null : { kind: 'subscription_differs', subject, detail };
  }

  /** Others may sell at the same account: what has neither a price of ours nor a user is none of ours. */
  private onlyThere(
    subject: string,
    object: ProviderObject | null,
    theirs: WholeSubscription | null,
  ): Difference | null {
    const isOver = theirs === null || ['CANCELED', 'EXPIRED'].includes(theirs.status);
    const isOurs = theirs?.planCode !== null || userIdAt(object, 'metadata', 'user_id') !== null;
    if (isOver || !isOurs) return null;
    return { kind: 'subscription_theirs_only', subject, detail: `${theirs.status} there, and not known here` };
  }
}

/** What the row of a subscription must say too. What has ended is not told of in all its members. */
function membersOf({ status, ...fact }: WholeSubscription): Partial<FoldedState> {
  if (status === 'CANCELED') return { status };
  const { planCode, interval, currentPeriodEnd, cancelAtPeriodEnd, cancelAt, trialEnd, collectionPaused } = fact;
  return {
    ...{ status, planCode, interval, currentPeriodEnd, cancelAtPeriodEnd, cancelAt, trialEnd, collectionPaused },
    ...(fact.recurringMicros !== null && { recurringMicros: fact.recurringMicros }),
  };
}

import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { differing, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { ApplyEvent } from '../subscriptions/apply-event';
import type { FoldedState, SubscriptionFact, WholeSubscription } from '../subscriptions/facts';
import { FetchSubscription } from '../subscriptions/fetch-subscription';
import { readSubscription } from '../subscriptions/read-subscription';
import { Comparison, type List } from './comparison';
import type { Corrected, Difference } from './difference';

interface Ours {
  id: string;
  state: FoldedState;
}

/**
 * Every subscription that has not ended, here or there. One that differs becomes what the provider says. SQL, as conditions are
 * on members of the fold.
 */
@Injectable()
export class CompareSubscriptions extends Comparison<Ours> {
  readonly name = 'subscriptions';

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    protected readonly provider: StripeApi,
    private readonly fetching: FetchSubscription,
    private readonly apply: ApplyEvent,
  ) {
    super();
  }

  async check(id: string): Promise<Difference | Corrected | null> {
    const event = await this.fetching.execute(id);
    const fact = wholeOf(event?.fact ?? null);
    const difference = this.compare(id, (await this.ours([id]))[0], fact);
    if (difference === null || event === null) return difference;
    await this.dataSource.transaction((tx) => this.apply.execute(tx, event));
    const left = this.compare(id, (await this.ours([id]))[0], fact);
    return left ?? { kind: 'subscription', subject: id, detail: difference.detail };
  }

  protected listOf(): List {
    return (stripe, page) => stripe.subscriptions.list({ ...page, expand: ['data.latest_invoice'] });
  }

  protected ours(ids: readonly string[]): Promise<Ours[]> {
    return this.dataSource.query(
      'SELECT subscription_id AS id, state FROM subscriptions WHERE subscription_id = ANY ($1)',
      [ids],
    );
  }

  protected async expected(): Promise<string[]> {
    const live = await this.dataSource.query<{ id: string }[]>(
      `SELECT subscription_id AS id FROM subscriptions
       WHERE NOT (state->>'isFinal')::boolean AND state->>'planCode' IS NOT NULL`,
    );
    return live.map(({ id }) => id);
  }

  protected isOurs(ours: Ours | undefined, theirs: ProviderObject): boolean {
    return isSoldByUs(ours, this.read(theirs));
  }

  protected seemsToDiffer(id: string, ours: Ours | undefined, theirs: ProviderObject): boolean {
    const fact = this.read(theirs);
    // A list only names discounts: what they take, a read of the subscription tells.
    const isNamed = fact !== null && fact.recurringMicros === null;
    return isNamed || this.compare(id, ours, fact) !== null;
  }

  private read(object: ProviderObject): WholeSubscription | null {
    return readSubscription(object, this.config.planOfPrice, this.clock.now());
  }

  private compare(subject: string, ours: Ours | undefined, theirs: WholeSubscription | null): Difference | null {
    if (!isSoldByUs(ours, theirs)) return null;
    if (ours === undefined) {
      if (theirs === null || ['CANCELED', 'EXPIRED'].includes(theirs.status)) return null;
      return { kind: 'subscription_theirs_only', subject, detail: `${theirs.status} there, and not known here` };
    }
    if (theirs === null) {
      const detail = `${ours.state.status} here, and not known there`;
      return ours.state.isFinal ? null : { kind: 'subscription_ours_only', subject, detail };
    }
    const detail = differing(ours.state, membersOf(theirs));
    return detail === '' ? null : { kind: 'subscription_differs', subject, detail };
  }
}

/** What has neither a price of ours nor a page of ours is none of ours. */
function isSoldByUs(ours: Ours | undefined, theirs: WholeSubscription | null): boolean {
  return (ours !== undefined && ours.state.planCode !== null) || (theirs !== null && theirs.planCode !== null);
}

function wholeOf(fact: SubscriptionFact | null): WholeSubscription | null {
  return fact?.kind === 'subscription' ? fact : null;
}

/** The members that the row of a subscription must have, too. One that has ended does not have all of them. */
function membersOf({ status, ...fact }: WholeSubscription): Partial<FoldedState> {
  if (status === 'CANCELED') return { status };
  const { planCode, interval, currentPeriodEnd, cancelAtPeriodEnd, cancelAt, trialEnd, collectionPaused } = fact;
  return {
    status,
    interval,
    currentPeriodEnd,
    cancelAtPeriodEnd,
    cancelAt,
    trialEnd,
    collectionPaused,
    // Of a price that is ours no longer the plan is that of the page that sold it.
    ...(planCode !== null && { planCode }),
    ...(fact.recurringMicros !== null && { recurringMicros: fact.recurringMicros }),
  };
}

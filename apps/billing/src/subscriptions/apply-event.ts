import { isDeepStrictEqual } from 'node:util';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { RecordMoney } from '../invoices/record-money';
import { StripeApi } from '../provider/stripe-api';
import { accessUntil, termsOf } from './access';
import { compareFacts, type FoldedState, type PlacedFact, type SubscriptionFact } from './facts';
import { apply, canAppend, fold, isUndecided } from './fold';
import { PublishAccess } from './publish-access';
import {
  askForRead,
  factsOf,
  findKnown,
  linkCustomer,
  lockFor,
  storeEvent,
  type Known,
  type ProviderRead,
} from './stored-events';

/** The members that are taken from an event or an answer of the provider: nothing else is stored. */
export interface ProviderEvent {
  id: string;
  type: string;
  created: Date;
  customerId: string | null;
  subscriptionId: string | null;
  /** Of a refund or a dispute, which names no customer. */
  chargeId?: string | null;
  /** The user whom the object names; null when it names nobody. */
  userId: string | null;
  /** Of a page to pay that has ended. */
  sessionId?: string;
  /** Of an invoice, which need not be of a subscription: whether it has a price that is ours. */
  isSale?: boolean;
  /** The provider has deleted the customer. */
  deletesCustomer?: boolean;
  /** The fact about the subscription; null when it is about something else. */
  fact: SubscriptionFact | null;
}

export type Refused = 'duplicate_event' | 'stale_event' | 'unmatched_customer';

export interface Outcome {
  applied: boolean;
  reason: Refused | null;
  /** To whom it belongs; null while nobody knows. */
  userId: string | null;
}

/** A subscription with one more fact. */
interface NextFold {
  state: FoldedState;
  last: PlacedFact;
  /** The new fact comes after all others. */
  isLast: boolean;
  hasChanged: boolean;
}

/** Of a person: from then on an id that nobody knows is none of ours. */
const NEWS_LATE_AT_MOST_MS = 30 * 86_400_000;

const DUPLICATE: Outcome = { applied: false, reason: 'duplicate_event', userId: null };

/** Ids of answers that were read, in place of an event id of the provider. */
export const READ_PREFIX = 'read:';

/**
 * Stores an event and computes its subscription again: the row of a subscription is the fold of all its stored events, so
 * that order, copies and delay change nothing. Runs in the transaction of the caller; everything of one customer waits
 * for its turn.
 */
@Injectable()
export class ApplyEvent {
  constructor(
    private readonly config: BillingConfig,
    private readonly clock: Clock,
    private readonly provider: StripeApi,
    private readonly publish: PublishAccess,
    private readonly money: RecordMoney,
    private readonly crash: ProcessCrash,
  ) {}

  async execute(tx: EntityManager, given: ProviderEvent): Promise<Outcome> {
    await lockFor(tx, given);
    const known = await findKnown(tx, given);
    if (known.isStored) return DUPLICATE;
    const event = { ...given, fact: given.fact && withPage(given.fact, known) };
    const next = await this.foldIn(tx, event, known);
    const userId = ownerOf(event, known, next);
    const isNewLink = userId !== null && event.customerId !== null && known.customerUserId === null;
    const isStale = next !== null && !next.isLast && !next.hasChanged && !isNewLink;
    const reason: Refused | null = userId === null ? 'unmatched_customer' : isStale ? 'stale_event' : null;
    const terms = termsOf(this.config);
    const saved = next && { ...next, accessUntil: accessUntil(next.state, terms), terms };
    const ofSubscription = next && next.state.planCode === null ? null : userId;
    const stored = { saved, userId: ofSubscription, reason, receivedAt: this.clock.now() };
    if (!(await storeEvent(tx, event, stored))) return DUPLICATE;
    this.crash.pass('event_stored');

    const hasLinked = isNewLink && (await linkCustomer(tx, event.customerId!, userId, event.created));
    const before = known.subscriptionUserId;
    const isSold = next !== null && ofSubscription !== before;
    if (userId !== null && event.customerId !== null && (isNewLink || isSold)) {
      await this.money.publishWaiting(tx, event.customerId, userId);
    }
    const reader = ofSubscription ?? before ?? (hasLinked ? userId : null);
    if (reader !== null && ((next !== null && next.hasChanged) || isSold || hasLinked)) {
      await this.publish.execute(tx, reader, { cause: event.type, changedAt: event.created });
    }
    if (next !== null) await this.readWhenUnsure(tx, { ...event, isLinked: userId !== null }, known, next);
    if (event.deletesCustomer) await this.endAll(tx, event);
    // No event has named it before its customer was deleted.
    else if (next !== null && known.fold === null && known.deletion !== null) {
      await this.end(tx, event.subscriptionId!, event.customerId!, known.deletion);
    }
    return { applied: reason === null, reason, userId };
  }

  private async endAll(tx: EntityManager, { id, created, customerId }: ProviderEvent): Promise<void> {
    const ofCustomer = await tx.query<{ id: string }[]>(
      'SELECT subscription_id AS id FROM subscriptions WHERE customer_id = $1 ORDER BY 1',
      [customerId],
    );
    for (const subscription of ofCustomer) await this.end(tx, subscription.id, customerId!, { id, created });
  }

  /** The subscriptions of a customer end with them, also without an event. */
  private async end(
    tx: EntityManager,
    subscriptionId: string,
    customerId: string,
    deletion: { id: string; created: Date },
  ): Promise<void> {
    await this.execute(tx, {
      id: `${deletion.id}:${subscriptionId}`,
      type: 'customer.deleted',
      created: deletion.created,
      customerId,
      subscriptionId,
      userId: null,
      fact: { kind: 'customer_deleted' },
    });
  }

  /** @returns null for an event that is not about a subscription */
  private async foldIn(tx: EntityManager, event: ProviderEvent, known: Known): Promise<NextFold | null> {
    const { subscriptionId, id, created, fact } = event;
    if (subscriptionId === null || fact === null) return null;
    const placed: PlacedFact = { id, created, fact };
    const { fold: before } = known;
    if (before === null) return { state: fold([placed]), last: placed, isLast: true, hasChanged: true };
    const isLast = compareFacts(placed, before.last) > 0;
    const state =
      isLast && canAppend(before.state, placed)
        ? apply(before.state, placed)
        : fold([...(await factsOf(tx, subscriptionId)), placed]);
    const hasChanged = !isDeepStrictEqual(state, before.state);
    return { state, last: isLast ? placed : before.last, isLast, hasChanged };
  }

  /** Seconds that are equal, an event out of order and a missing beginning may each hide something: the worker looks. */
  private async readWhenUnsure(
    tx: EntityManager,
    { id, created, subscriptionId, fact, userId, isLinked }: ProviderEvent & { isLinked: boolean },
    { sharesSecond, fold: before }: Known,
    { state, isLast }: NextFold,
  ): Promise<void> {
    if (!this.provider.isConfigured) return;
    const now = this.clock.now();
    const asked = { kind: 'subscription', id: subscriptionId! } as const;
    // Nobody tells of it.
    const discountEnd = fact?.kind === 'subscription' ? fact.discountEnd : null;
    if (discountEnd !== null) await askForRead(tx, { ...asked, reason: 'discount_end' }, new Date(discountEnd));
    if (!isLinked && userId !== null && state.planCode !== null && !state.isFinal) {
      // News of a person may come later than that of their subscription: it is read again after twice as long each time.
      const ageMs = now.getTime() - (state.startedAt === null ? created : new Date(state.startedAt)).getTime();
      const from = new Date(now.getTime() + Math.max(0, ageMs));
      if (ageMs <= NEWS_LATE_AT_MOST_MS) await askForRead(tx, { ...asked, reason: 'unknown_user' }, from);
    }
    if (id.startsWith(READ_PREFIX)) return;
    const reasons: [ProviderRead['reason'], boolean][] = [
      ['out_of_order', !isLast],
      ['discount', fact?.kind === 'subscription' && fact.recurringMicros === null],
      ['gap', !state.isWhole && before !== null],
      ['invoice', fact !== null && before !== null && isUndecided(before.state, { id, created, fact })],
      ['equal_second', sharesSecond],
    ];
    const reason = reasons.find(([, isSo]) => isSo)?.[0];
    if (reason !== undefined) await askForRead(tx, { ...asked, reason, answerAfter: created }, now);
  }
}

/** Whether we opened a page, our own row of it tells alone. */
function withPage(fact: SubscriptionFact, { isOurPage }: Known): SubscriptionFact {
  return fact.kind === 'session' ? { ...fact, isOurs: isOurPage } : fact;
}

/**
 * Whose an event is. What we have not sold is nobody's, also when a customer of ours has bought it, and whom it names is a
 * user only when billing knows them.
 */
function ownerOf(event: ProviderEvent, known: Known, next: NextFold | null): string | null {
  const named = known.isUserKnown ? event.userId : null;
  const isSold = next === null ? known.subscriptionUserId !== null : next.state.planCode !== null;
  const isOurs = isSold || event.isSale === true || known.isOurPage;
  if (isOurs) return known.customerUserId ?? named ?? known.subscriptionUserId;
  // Money that moved back names no price.
  return next === null && event.isSale === undefined ? known.customerUserId : null;
}

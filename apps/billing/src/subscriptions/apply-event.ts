import { isDeepStrictEqual } from 'node:util';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { RecordMoney } from '../invoices/record-money';
import { StripeApi } from '../provider/stripe-api';
import { accessUntil, type GraceTerms } from './access';
import { askForRead, type ProviderRead } from './ask-for-read';
import { compareFacts, type FoldedState, type PlacedFact, type SubscriptionFact } from './facts';
import { apply, canAppend, fold } from './fold';
import { linkCustomer } from './link-customer';
import { PublishAccess } from './publish-access';
import { factsOf, findKnown, lockFor, storeEvent, type Known, type SavedFold } from './stored-events';

/** What is taken from an event of the provider, and from an answer of it: nothing else is stored. */
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
  /** What it says of the subscription; null when it is about something else. */
  fact: SubscriptionFact | null;
}

export type Refused = 'duplicate_event' | 'stale_event' | 'unmatched_customer';

export interface Outcome {
  applied: boolean;
  reason: Refused | null;
  /** To whom it belongs; null while nobody knows. */
  userId: string | null;
  /** Whether the customer has just got its user: what waited for that belongs to them now, and is published. */
  isNewLink: boolean;
}

/** A subscription with one more fact. */
interface NextFold {
  state: FoldedState;
  last: PlacedFact;
  /** The new fact comes after all others. */
  isLast: boolean;
  hasChanged: boolean;
}

const DUPLICATE: Outcome = { applied: false, reason: 'duplicate_event', userId: null, isNewLink: false };

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

  async execute(tx: EntityManager, event: ProviderEvent): Promise<Outcome> {
    await lockFor(tx, event);
    const known = await findKnown(tx, event);
    if (known.isStored) return DUPLICATE;
    const userId = known.customerUserId ?? event.userId ?? known.subscriptionUserId;
    const next = await this.foldIn(tx, event, known);
    const isNewLink = userId !== null && event.customerId !== null && known.customerUserId === null;
    const isStale = next !== null && !next.isLast && !next.hasChanged && !isNewLink;
    const reason = userId === null ? 'unmatched_customer' : isStale ? 'stale_event' : null;
    const saved = next && this.savedOf(next);
    const isNew = await storeEvent(tx, event, { saved, userId, reason, receivedAt: this.clock.now() });
    if (!isNew) return DUPLICATE;
    this.crash.pass('event_stored');

    const hasLinked = isNewLink && (await this.link(tx, event.customerId!, userId, event.created));
    const isTheirs = next !== null && (next.hasChanged || known.subscriptionUserId === null);
    if (userId !== null && (isTheirs || hasLinked)) {
      await this.publish.execute(tx, userId, { cause: event.type, changedAt: event.created });
    }
    if (next !== null) await this.readWhenUnsure(tx, event, known, next);
    return { applied: reason === null, reason, userId, isNewLink };
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

  /** @returns whether a subscription has waited for the link */
  private async link(tx: EntityManager, customerId: string, userId: string, at: Date): Promise<boolean> {
    const hasWaited = await linkCustomer(tx, customerId, userId, at);
    await this.money.publishWaiting(tx, customerId, userId);
    return hasWaited;
  }

  private savedOf({ state, last }: NextFold): SavedFold {
    const { BILLING_GRACE_DAYS: graceDays, BILLING_RENEWAL_GRACE_HOURS: renewalGraceHours } = this.config;
    const terms: GraceTerms = { graceDays, renewalGraceHours };
    return { state, last, accessUntil: accessUntil(state, terms), terms };
  }

  /** Seconds that are equal, an event out of order and a missing beginning may each hide something: the worker looks. */
  private async readWhenUnsure(
    tx: EntityManager,
    { id, created, subscriptionId, fact }: ProviderEvent,
    { sharesSecond, fold: before }: Known,
    { state, isLast }: NextFold,
  ): Promise<void> {
    if (!this.provider.isConfigured || id.startsWith(READ_PREFIX)) return;
    const reasons: [ProviderRead['reason'], boolean][] = [
      ['out_of_order', !isLast],
      ['discount', fact?.kind === 'subscription' && fact.recurringMicros === null],
      ['gap', !state.isWhole && before !== null],
      ['equal_second', sharesSecond],
    ];
    const reason = reasons.find(([, isSo]) => isSo)?.[0];
    if (reason === undefined) return;
    const read: ProviderRead = { kind: 'subscription', id: subscriptionId!, reason, answerAfter: created };
    await askForRead(tx, read, this.clock.now());
  }
}

import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable, Logger, Module } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { AppRegistry } from '@evenkeel/platform/observability';
import { BillingConfig, type CrashPoint } from '../billing.config';
import { addCustomer, newCustomer } from '../checkout/customers';
import { ProviderNotConfigured, ProviderRefusal, StripeApi } from '../provider/stripe-api';
import { ApplyEvent } from '../subscriptions/apply-event';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { eventOfAnswer } from '../subscriptions/fetch-subscription';
import { PublishAccess } from '../subscriptions/publish-access';
import { Checkout, Customer, Departure, Grant } from '../subscriptions/subscriptions.entities';

const PAGE = 100;

/** A departure is of the process that took it for so long: more than the calls of one customer may take. */
const TAKEN_MS = 120_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

// One statement: two processes never take the same row.
const TAKE = `
  WITH due AS (
    SELECT user_id FROM departures WHERE done_at IS NULL AND due_at <= $1
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE departures d SET attempts = d.attempts + 1, due_at = $2 FROM due WHERE d.user_id = due.user_id
  RETURNING d.user_id AS "userId", d.attempts`;

// A page that was paid when its user had left already: the link of that customer came later.
const BEGIN_AGAIN = `
  UPDATE departures d SET done_at = NULL, due_at = $1, attempts = 0 FROM customers c
  WHERE d.done_at IS NOT NULL AND c.user_id = d.user_id AND c.deleted_at IS NULL`;

const STILL_THERE = 'SELECT customer_id AS id FROM customers WHERE user_id = $1 AND deleted_at IS NULL ORDER BY 1';

// Killed between the customer and the page: the row of the page is all that is known.
const BROKEN_OFF = `
  SELECT (SELECT count(*)::integer FROM customers WHERE user_id = $1) AS past
  WHERE EXISTS (SELECT FROM checkouts WHERE user_id = $1 AND session_id IS NULL)
    AND NOT EXISTS (${STILL_THERE})`;

type TakenDeparture = Pick<Departure, 'userId' | 'attempts'>;

/**
 * Ends at the provider what users have who deleted their account, each until it has succeeded. Who has left is a table of
 * its own, which a rebuild of the projection keeps.
 */
@Injectable()
export class EndDepartures {
  private readonly logger = new Logger('leaving');

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly provider: StripeApi,
    private readonly apply: ApplyEvent,
    private readonly publish: PublishAccess,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** @returns whether more may be due */
  async execute(): Promise<boolean> {
    const now = this.clock.now();
    const takenUntil = new Date(now.getTime() + TAKEN_MS);
    const [[departure]] = await this.dataSource.query<[TakenDeparture[], number]>(TAKE, [now, takenUntil]);
    if (!departure) return false;
    try {
      await this.leave(departure.userId);
    } catch (error) {
      await this.postpone(departure, error);
    }
    return true;
  }

  /** Of customers who were linked to somebody after they had left. */
  async beginAgain(): Promise<void> {
    await this.dataSource.query(BEGIN_AGAIN, [this.clock.now()]);
  }

  private async leave(userId: string): Promise<void> {
    const idsOf = async (sql: string) =>
      (await this.dataSource.query<{ id: string }[]>(sql, [userId])).map(({ id }) => id);
    const pages =
      'SELECT session_id AS id FROM checkouts WHERE user_id = $1 AND closed_at IS NULL AND session_id IS NOT NULL';
    for (const id of await idsOf(pages)) await this.closePage(id);
    const [brokenOff] = await this.dataSource.query<{ past: number }[]>(BROKEN_OFF, [userId]);
    if (brokenOff) await this.remember(userId, brokenOff.past);
    for (const id of await idsOf(STILL_THERE)) await this.forget(id);
    const alone = `
      SELECT subscription_id AS id FROM subscriptions
      WHERE user_id = $1 AND customer_id IS NULL AND NOT (state->>'isFinal')::boolean`;
    for (const id of await idsOf(alone)) await this.cancel(id);
    await this.dataSource.transaction((tx) => this.finish(tx, userId));
  }

  /** Ends what a customer has at the provider, and has the provider delete them. May be repeated at any step. */
  private async forget(customerId: string): Promise<void> {
    const live = await this.provider.find((stripe) => stripe.subscriptions.list({ customer: customerId, limit: PAGE }));
    for (const { id } of live?.result.data ?? []) await this.cancel(id);
    await this.provider.find((stripe) => stripe.customers.del(customerId));
    this.crash.pass('customer_deleted');
    const present = { customerId, deletedAt: IsNull() };
    await this.dataSource.manager.update(Customer, present, { deletedAt: this.clock.now() });
    this.crash.pass('customer_forgotten');
  }

  /** A checkout that broke off may have left a customer whom nobody remembers: asked for once more, they are the same. */
  private async remember(userId: string, past: number): Promise<void> {
    const { result } = await this.provider.call((stripe) => stripe.customers.create(...newCustomer(userId, past)));
    await addCustomer(this.dataSource.manager, result, userId);
  }

  /** At once, and without money back for the rest of the period. Its events follow; the answer says the same already. */
  private async cancel(subscriptionId: string): Promise<void> {
    const ended = await this.provider.find((stripe) =>
      stripe.subscriptions.cancel(subscriptionId, { invoice_now: false, prorate: false }),
    );
    this.crash.pass('subscription_ended');
    const event = ended && eventOfAnswer(ended, this.config.planOfPrice);
    if (event) await this.dataSource.transaction((tx) => this.apply.execute(tx, event));
  }

  /** A page to pay that is still open. One that is paid or over already cannot be closed, and need not be. */
  private async closePage(sessionId: string): Promise<void> {
    try {
      await this.provider.call((stripe) => stripe.checkout.sessions.expire(sessionId));
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
    }
    this.crash.pass('page_closed');
  }

  /** The rows that stay name nobody: rows with the id of a user whom no service knows any more. */
  private async finish(tx: EntityManager, userId: string): Promise<void> {
    const now = this.clock.now();
    // The lock before the look: a customer who is linked in this moment makes the departure begin again.
    await tx.findOne(Departure, { where: { userId }, lock: { mode: 'pessimistic_write' } });
    await tx.delete(Checkout, { userId });
    await tx.query(
      `UPDATE provider_events e SET fact = jsonb_set(e.fact, '{paymentUrl}', 'null') FROM subscriptions s
       WHERE s.user_id = $1 AND (s.state->>'isFinal')::boolean AND e.subscription_id = s.subscription_id
         AND e.fact->>'paymentUrl' IS NOT NULL`,
      [userId],
    );
    await tx.update(Grant, { userId }, { note: '' });
    const { affected: revoked } = await tx.update(Grant, { userId, revokedAt: IsNull() }, { revokedAt: now });
    if (revoked !== 0) await this.publish.execute(tx, userId, { cause: 'user.deleted', changedAt: now });
    const left = await tx.countBy(Customer, { userId, deletedAt: IsNull() });
    await tx.update(Departure, { userId }, { doneAt: left === 0 ? now : null, dueAt: now });
  }

  /** Seconds at first, an hour at last, and not all at the same moment. */
  private async postpone({ userId, attempts }: TakenDeparture, error: unknown): Promise<void> {
    const isWaiting = error instanceof ProviderNotConfigured;
    if (!isWaiting) this.logger.warn({ message: 'a user who left is still known to the provider', attempts, error });
    const pauseMs =
      Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20)) * (1 - Math.random() / 2);
    const next = new Date(this.clock.now().getTime() + (isWaiting ? LONGEST_PAUSE_MS : pauseMs));
    await this.dataSource.manager.update(Departure, { userId }, { dueAt: next });
  }
}

const EVERY_MS = 1_000;
const AGAIN_EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** Sees to departures for as long as the worker runs. */
@Injectable()
export class LeavingWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];

  constructor(departures: EndDepartures, registry: AppRegistry, { manager }: DataSource) {
    super();
    // Whom the provider still has to forget.
    registry.show('departures', () => manager.countBy(Departure, { doneAt: IsNull() }), {
      departures_waiting: (waiting) => [{ value: waiting }],
    });
    const beginAgain = async () => {
      await departures.beginAgain();
      return false;
    };
    this.jobs = [
      { name: 'end_departures', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => departures.execute() },
      { name: 'begin_departures_again', everyMs: AGAIN_EVERY_MS, withinMs: WITHIN_MS, run: beginAgain },
    ];
  }
}

/** The part of the worker. */
@Module({
  imports: [SubscriptionsModule],
  providers: [EndDepartures, LeavingWorker],
  exports: [EndDepartures],
})
export class LeavingModule {}

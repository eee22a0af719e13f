import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { readCharge } from '../invoices/read-money';
import { lockCharge } from '../invoices/record-money';
import { idAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { READ_PREFIX } from '../subscriptions/apply-event';
import { FetchSubscription } from '../subscriptions/fetch-subscription';
import { lockFor, type ProviderRead } from '../subscriptions/stored-events';
import type { TakenEvent } from '../webhooks/read-event';
import { TakeEvent } from '../webhooks/take-event';

/** At once; the provider allows a hundred a second. */
const AT_ONCE = 10;

/**
 * A read that is taken comes again after half a minute, then after twice as long each time, up to an hour. SQL: found, locked
 * and put off in one statement.
 */
const TAKE_DUE = `
  UPDATE provider_reads
  SET attempts = attempts + 1, due_at = $1 + least(interval '1 hour', interval '30 seconds' * 2 ^ least(attempts, 10))
  WHERE (kind, id) IN (
    SELECT kind, id FROM provider_reads WHERE due_at <= $1 ORDER BY due_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
  RETURNING kind, id, answer_after AS "answerAfter", due_at AS "takenUntil"`;

interface TakenRead extends Pick<ProviderRead, 'kind' | 'id'> {
  /** Only an answer that is newer says something: events of that second may hide each other. */
  answerAfter: Date | null;
  /** Not the same any more when it was asked for again meanwhile. */
  takenUntil: Date;
}

/** Reads at the provider what events have left unsure, and applies the answer as an event. */
@Injectable()
export class ReadProvider {
  constructor(
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
    private readonly fetching: FetchSubscription,
    private readonly takeEvent: TakeEvent,
  ) {}

  /**
   * Everything that is due, ten at a time. What fails comes again later.
   * @returns whether there may be more
   * @throws the first error of a read that failed, when all have ended
   */
  async execute(): Promise<boolean> {
    if (!this.provider.isConfigured) return false;
    const [taken] = await this.dataSource.query<[TakenRead[], number]>(TAKE_DUE, [this.clock.now()]);
    const ended = await Promise.allSettled(taken.map((read) => this.one(read)));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return taken.length === AT_ONCE;
  }

  private async one(read: TakenRead): Promise<void> {
    const event: TakenEvent | null =
      read.kind === 'charge' ? await this.charge(read.id) : await this.fetching.execute(read.id);
    const isTooOld = event !== null && read.answerAfter !== null && event.created <= read.answerAfter;
    await this.dataSource.transaction(async (tx) => {
      // As an event does: its locks first, then the row of the read. The other way round both would wait for each other.
      if (event?.charge) await lockCharge(tx, event.charge.chargeId);
      if (event !== null) await lockFor(tx, event);
      // Before it is taken, which may ask for a later read.
      if (!isTooOld) {
        await tx.query('DELETE FROM provider_reads WHERE kind = $1 AND id = $2 AND due_at = $3', [
          read.kind,
          read.id,
          read.takenUntil,
        ]);
      }
      if (event !== null) await this.takeEvent.take(tx, event);
    });
  }

  /** Whose a charge is, and which invoice it has paid; null for what is not there any more, or says nothing. */
  private async charge(id: string): Promise<TakenEvent | null> {
    const found = await this.provider.find((stripe) => stripe.charges.retrieve(id));
    const object = (found?.result ?? {}) as ProviderObject;
    const charge = readCharge(object);
    if (found === null || charge === null) return null;
    const invoiceId = charge.invoiceId ?? (await this.invoicePaidBy(idAt(object, 'payment_intent')));
    return {
      id: `${READ_PREFIX}${id}:${found.at.toISOString()}`,
      type: 'charge.read',
      created: found.at,
      customerId: charge.customerId,
      subscriptionId: null,
      userId: null,
      fact: null,
      charge: { ...charge, invoiceId },
    };
  }

  private async invoicePaidBy(intentId: string | null): Promise<string | null> {
    if (intentId === null) return null;
    const payment = { type: 'payment_intent', payment_intent: intentId } as const;
    const { result } = await this.provider.call((stripe) => stripe.invoicePayments.list({ payment, limit: 1 }));
    return idAt(result.data[0], 'invoice');
  }
}

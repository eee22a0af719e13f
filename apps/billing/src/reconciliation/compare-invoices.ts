import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { readPaidInvoice } from '../invoices/read-money';
import { differing, textAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { READ_PREFIX } from '../subscriptions/apply-event';
import { TakeEvent } from '../webhooks/take-event';
import { Comparison, secondsOf, type List } from './comparison';
import type { Corrected, Difference } from './difference';

interface Ours {
  id: string;
  currency: string;
  amountCents: number;
  taxCents: number;
  subscriptionId: string | null;
}

/** In SQL, as all that is read here: no row is changed, and few columns are compared. */
const FIND = `
  SELECT invoice_id AS id, currency, amount_cents::float8 AS "amountCents", tax_cents::float8 AS "taxCents",
    subscription_id AS "subscriptionId"
  FROM invoices WHERE invoice_id = ANY ($1)`;

/** Invoices that were made and paid in the period, here and there. */
@Injectable()
export class CompareInvoices extends Comparison<Ours> {
  readonly name = 'invoices';

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    protected readonly provider: StripeApi,
    private readonly clock: Clock,
    private readonly takeEvent: TakeEvent,
  ) {
    super();
  }

  async check(id: string): Promise<Difference | Corrected | null> {
    const found = await this.provider.find((stripe) => stripe.invoices.retrieve(id));
    const theirs = (found?.result ?? null) as ProviderObject | null;
    const [ours] = await this.ours([id]);
    if (theirs === null ? ours === undefined : !(await this.isOurs(ours, theirs))) return null;
    const difference = this.compare(id, ours, theirs);
    if (difference?.kind !== 'invoice_theirs_only') return difference;
    await this.book(theirs!);
    return { kind: 'invoice', subject: id, detail: difference.detail };
  }

  protected listOf(since: Date): List {
    const paid = { status: 'paid', created: { gte: secondsOf(since) } } as const;
    return (stripe, page) => stripe.invoices.list({ ...page, ...paid });
  }

  protected ours(ids: readonly string[]): Promise<Ours[]> {
    return this.dataSource.query(FIND, [ids]);
  }

  protected async expected(since: Date): Promise<string[]> {
    const young = await this.dataSource.query<{ id: string }[]>(
      'SELECT invoice_id AS id FROM invoices WHERE paid_at >= $1 AND (user_id IS NOT NULL OR plan_code IS NOT NULL)',
      [since],
    );
    return young.map(({ id }) => id);
  }

  protected async isOurs(ours: Ours | undefined, theirs: ProviderObject): Promise<boolean> {
    if (ours) return true;
    const invoice = readPaidInvoice(theirs, this.config.planOfPrice, new Date(0));
    if (invoice === null || invoice.planCode !== null) return invoice !== null;
    const found = await this.dataSource.query<object[]>(
      'SELECT FROM subscriptions WHERE subscription_id = $1 AND user_id IS NOT NULL',
      [invoice.subscriptionId],
    );
    return found.length > 0;
  }

  protected seemsToDiffer(id: string, ours: Ours | undefined, theirs: ProviderObject): boolean {
    return this.compare(id, ours, theirs) !== null;
  }

  private compare(subject: string, ours: Ours | undefined, object: ProviderObject | null): Difference | null {
    const theirs = object && readPaidInvoice(object, this.config.planOfPrice, new Date(0));
    if (ours === undefined) {
      if (theirs === null || textAt(object, 'status') !== 'paid') return null;
      const detail = `${theirs.amountCents} ${theirs.currency} paid there, and not known here`;
      return { kind: 'invoice_theirs_only', subject, detail };
    }
    if (theirs === null) return { kind: 'invoice_ours_only', subject, detail: 'paid here, and not known there' };
    const { currency, amountCents, taxCents, subscriptionId } = theirs;
    const members = { status: textAt(object, 'status'), currency, amountCents, taxCents, subscriptionId };
    const detail = differing({ status: 'paid', ...ours }, members);
    return detail === '' ? null : { kind: 'invoice_differs', subject, detail };
  }

  /** Takes it into the books: it says nothing of its subscription, which is compared itself. */
  private async book(object: ProviderObject): Promise<void> {
    const now = this.clock.now();
    const invoice = readPaidInvoice(object, this.config.planOfPrice, now)!;
    const { customerId, subscriptionId, userId, planCode, invoiceId } = invoice;
    const id = `${READ_PREFIX}${invoiceId}:${now.toISOString()}`;
    await this.dataSource.transaction((tx) =>
      this.takeEvent.take(tx, {
        id,
        type: 'invoice.read',
        created: now,
        fact: null,
        invoice,
        customerId,
        subscriptionId,
        userId,
        isSale: planCode !== null,
      }),
    );
  }
}

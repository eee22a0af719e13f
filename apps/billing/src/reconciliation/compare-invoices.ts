import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { readPaidInvoice, type PaidInvoiceRow } from '../invoices/read-invoice';
import { textAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { differing, type Comparison, type Difference } from './difference';
import { findThere, pagesOf, secondsOf } from './provider-lists';

interface Ours {
  id: string;
  currency: string;
  amountCents: number;
  taxCents: number;
  subscriptionId: string | null;
}

const FIND = `
  SELECT invoice_id AS id, currency, amount_cents::float8 AS "amountCents", tax_cents::float8 AS "taxCents",
    subscription_id AS "subscriptionId"
  FROM invoices WHERE invoice_id = ANY ($1)`;

/** Invoices that were made and paid in the period, here and there. */
@Injectable()
export class CompareInvoices implements Comparison {
  readonly name = 'invoices';

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
  ) {}

  async suspects(since: Date): Promise<{ compared: number; ids: string[] }> {
    const [seen, ids] = [new Set<string>(), [] as string[]];
    const paid = { status: 'paid', created: { gte: secondsOf(since) } } as const;
    for await (const page of pagesOf(this.provider, (stripe, at) => stripe.invoices.list({ ...at, ...paid }))) {
      const theirs = new Map(page.map((object) => [textAt(object, 'id') ?? '', object]));
      const ours = new Map((await this.ours([...theirs.keys()])).map((row) => [row.id, row]));
      for (const [id, object] of theirs) {
        seen.add(id);
        if (await this.compare(id, ours.get(id), object)) ids.push(id);
      }
    }
    const young = await this.dataSource.query<{ id: string }[]>(
      'SELECT invoice_id AS id FROM invoices WHERE paid_at >= $1',
      [since],
    );
    const alone = young.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
    return { compared: seen.size + alone.length, ids: [...ids, ...alone] };
  }

  async check(id: string): Promise<Difference | null> {
    const theirs = await findThere(this.provider, (stripe) => stripe.invoices.retrieve(id));
    const [ours] = await this.ours([id]);
    return this.compare(id, ours, theirs);
  }

  private ours(ids: readonly string[]): Promise<Ours[]> {
    return this.dataSource.query(FIND, [ids]);
  }

  private async compare(
    subject: string,
    ours: Ours | undefined,
    object: ProviderObject | null,
  ): Promise<Difference | null> {
    const theirs = object && readPaidInvoice(object, this.config.planOfPrice, new Date(0));
    if (ours === undefined) {
      if (theirs === null || textAt(object, 'status') !== 'paid' || !(await this.isOurs(theirs))) return null;
      const detail = `${theirs.amountCents} ${theirs.currency} paid there, and not known here`;
      return { kind: 'invoice_theirs_only', subject, detail };
    }
    if (theirs === null) return { kind: 'invoice_ours_only', subject, detail: 'paid here, and not known there' };
    const { currency, amountCents, taxCents, subscriptionId } = theirs;
    const members = { status: textAt(object, 'status'), currency, amountCents, taxCents, subscriptionId };
    const detail = differing({ status: 'paid', ...ours }, members);
    return detail === '' ? null : { kind: 'invoice_differs', subject, detail };
  }

  /** Others may sell at the same account. */
  private async isOurs({ planCode, userId, customerId }: PaidInvoiceRow): Promise<boolean> {
    if (planCode !== null || userId !== null) return true;
    const found = await this.dataSource.query<object[]>('SELECT FROM customers WHERE customer_id = $1', [customerId]);
    return found.length > 0;
  }
}

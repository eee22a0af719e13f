import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, MoreThanOrEqual } from 'typeorm';
import { userIdAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { Customer } from '../subscriptions/subscriptions.entities';
import { Comparison, secondsOf, type List } from './comparison';
import type { Difference } from './difference';

type Ours = Customer & { id: string };

/** Customers who were made in the period, here and there. */
@Injectable()
export class CompareCustomers extends Comparison<Ours> {
  readonly name = 'customers';

  constructor(
    private readonly dataSource: DataSource,
    protected readonly provider: StripeApi,
  ) {
    super();
  }

  async check(id: string): Promise<Difference | null> {
    const theirs = await this.provider.find((stripe) => stripe.customers.retrieve(id));
    const [ours] = await this.ours([id]);
    return compare(id, ours, theirs && (theirs.result as object as ProviderObject));
  }

  protected listOf(since: Date): List {
    return (stripe, page) => stripe.customers.list({ ...page, created: { gte: secondsOf(since) } });
  }

  protected async ours(ids: readonly string[]): Promise<Ours[]> {
    const rows = await this.dataSource.manager.findBy(Customer, { customerId: In(ids) });
    return rows.map((row) => ({ ...row, id: row.customerId }));
  }

  protected async expected(since: Date): Promise<string[]> {
    const where = { createdAt: MoreThanOrEqual(since), deletedAt: IsNull() };
    return (await this.dataSource.manager.find(Customer, { where })).map(({ customerId }) => customerId);
  }

  /** Others may name users of their own. SQL: two tables in one look. */
  protected async isOurs(ours: Ours | undefined, theirs: ProviderObject): Promise<boolean> {
    if (ours) return true;
    const known = await this.dataSource.query<object[]>(
      `SELECT FROM people WHERE user_id = $1 UNION ALL SELECT FROM customers WHERE user_id = $1`,
      [userIdAt(theirs, 'metadata', 'user_id')],
    );
    return known.length > 0;
  }

  protected seemsToDiffer(id: string, ours: Ours | undefined, theirs: ProviderObject): boolean {
    return compare(id, ours, theirs) !== null;
  }
}

function compare(subject: string, ours: Customer | undefined, object: ProviderObject | null): Difference | null {
  const isThere = object !== null && object['deleted'] !== true;
  const named = isThere ? userIdAt(object, 'metadata', 'user_id') : null;
  if (ours === undefined) {
    // A customer without a user of ours is none of ours.
    if (named === null) return null;
    return { kind: 'customer_theirs_only', subject, detail: `of user ${named} there, and not known here` };
  }
  if (!isThere) {
    const detail = `of user ${ours.userId} here, and not known there`;
    return ours.deletedAt === null ? { kind: 'customer_ours_only', subject, detail } : null;
  }
  if (ours.deletedAt !== null) return { kind: 'customer_differs', subject, detail: 'deleted here, and not there' };
  if (named === null || named === ours.userId) return null;
  return { kind: 'customer_differs', subject, detail: `user: ${ours.userId} here, ${named} there` };
}

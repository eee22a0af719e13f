import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, MoreThanOrEqual } from 'typeorm';
import { textAt, userIdAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { Customer } from '../subscriptions/subscriptions.entities';
import { pagesOf, secondsOf, type Comparison, type Difference, type Suspects } from './difference';

/** Customers who were made in the period, here and there. */
@Injectable()
export class CompareCustomers implements Comparison {
  readonly name = 'customers';

  constructor(
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
  ) {}

  async suspects(since: Date, found: Suspects): Promise<void> {
    const seen = new Set<string>();
    const created = { gte: secondsOf(since) };
    for await (const page of pagesOf(this.provider, (stripe, at) => stripe.customers.list({ ...at, created }))) {
      const theirs = new Map(page.map((object) => [textAt(object, 'id') ?? '', object]));
      const ours = new Map((await this.ours([...theirs.keys()])).map((row) => [row.customerId, row]));
      const users = await this.knownOf(page.flatMap((object) => userIdAt(object, 'metadata', 'user_id') ?? []));
      for (const [id, object] of theirs) {
        seen.add(id);
        if (!ours.has(id) && !users.has(userIdAt(object, 'metadata', 'user_id') ?? '')) continue;
        found.compared += 1;
        if (compare(id, ours.get(id), object)) found.ids.push(id);
      }
    }
    const where = { createdAt: MoreThanOrEqual(since), deletedAt: IsNull() };
    const young = await this.dataSource.manager.find(Customer, { where });
    const alone = young.map(({ customerId }) => customerId).filter((id) => !seen.has(id));
    found.compared += alone.length;
    found.ids.push(...alone);
  }

  async check(id: string): Promise<Difference | null> {
    const theirs = await this.provider.find((stripe) => stripe.customers.retrieve(id));
    const [ours] = await this.ours([id]);
    return compare(id, ours, theirs && (theirs.result as object as ProviderObject));
  }

  /** Others may name users of their own at the same account. SQL: two tables in one look. */
  private async knownOf(userIds: readonly string[]): Promise<ReadonlySet<string>> {
    const known = await this.dataSource.query<{ id: string }[]>(
      `SELECT user_id AS id FROM people WHERE user_id = ANY ($1::uuid[])
       UNION SELECT user_id FROM customers WHERE user_id = ANY ($1::uuid[])`,
      [userIds],
    );
    return new Set(known.map(({ id }) => id));
  }

  private ours(ids: readonly string[]): Promise<Customer[]> {
    return this.dataSource.manager.findBy(Customer, { customerId: In(ids) });
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

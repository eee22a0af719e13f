import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { textAt, userIdAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import type { Comparison, Difference } from './difference';
import { findThere, pagesOf, secondsOf } from './provider-lists';

interface Ours {
  id: string;
  userId: string;
  deletedAt: Date | null;
}

const COLUMNS = 'customer_id AS id, user_id AS "userId", deleted_at AS "deletedAt"';

/** Customers who were made in the period, here and there. */
@Injectable()
export class CompareCustomers implements Comparison {
  readonly name = 'customers';

  constructor(
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
  ) {}

  async suspects(since: Date): Promise<{ compared: number; ids: string[] }> {
    const [seen, ids] = [new Set<string>(), [] as string[]];
    const created = { gte: secondsOf(since) };
    for await (const page of pagesOf(this.provider, (stripe, at) => stripe.customers.list({ ...at, created }))) {
      const theirs = new Map(page.map((object) => [textAt(object, 'id') ?? '', object]));
      const ours = new Map((await this.ours([...theirs.keys()])).map((row) => [row.id, row]));
      for (const [id, object] of theirs) {
        seen.add(id);
        if (compare(id, ours.get(id), object)) ids.push(id);
      }
    }
    const young = await this.dataSource.query<{ id: string }[]>(
      'SELECT customer_id AS id FROM customers WHERE created_at >= $1 AND deleted_at IS NULL',
      [since],
    );
    const alone = young.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
    return { compared: seen.size + alone.length, ids: [...ids, ...alone] };
  }

  async check(id: string): Promise<Difference | null> {
    const theirs = await findThere(this.provider, (stripe) => stripe.customers.retrieve(id));
    const [ours] = await this.ours([id]);
    return compare(id, ours, theirs);
  }

  private ours(ids: readonly string[]): Promise<Ours[]> {
    return this.dataSource.query(`SELECT ${COLUMNS} FROM customers WHERE customer_id = ANY ($1)`, [ids]);
  }
}

function compare(subject: string, ours: Ours | undefined, object: ProviderObject | null): Difference | null {
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

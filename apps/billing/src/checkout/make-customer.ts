import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Unauthorized } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CrashPoint } from '../billing.config';
import { StripeApi } from '../provider/stripe-api';
import type { WaitingTime } from '../provider/waiting-time';

/**
 * What is asked of the provider: a second request within a day gets the same customer.
 * @param past customers that the user has had before
 */
export function newCustomer(userId: string, past: number) {
  return [{ metadata: { user_id: userId } }, { idempotencyKey: `customer-${userId}-${past}` }] as const;
}

/** Those of a user. */
export interface Customers {
  /** Null while there is none. */
  present: string | null;
  /** How many they have had before. */
  past: number;
}

/** The customer of a user at the provider: one, however often and by however many requests it is made. */
@Injectable()
export class MakeCustomer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly provider: StripeApi,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /**
   * @param customers of the user, as they were read for this request
   * @returns id of the present one, a new one where there is none
   * @throws ProviderUnavailable, ProviderRefusal, and Unauthorized for somebody who has left meanwhile
   */
  async execute(userId: string, customers: Customers, waiting: WaitingTime): Promise<string> {
    return customers.present ?? (await this.make(userId, customers.past, waiting));
  }

  async of(userId: string): Promise<Customers> {
    const [found] = await this.dataSource.query<[Customers]>(
      `SELECT (array_agg(customer_id ORDER BY created_at DESC, customer_id) FILTER (WHERE deleted_at IS NULL))[1] AS present,
         count(*) FILTER (WHERE deleted_at IS NOT NULL)::integer AS past
       FROM customers WHERE user_id = $1`,
      [userId],
    );
    return found;
  }

  /** The provider says that it has no such customer any more. */
  async forget(customerId: string): Promise<void> {
    await this.dataSource.query('UPDATE customers SET deleted_at = $2 WHERE customer_id = $1 AND deleted_at IS NULL', [
      ...[customerId, this.clock.now()],
    ]);
  }

  private async make(userId: string, past: number, waiting: WaitingTime): Promise<string> {
    const wanted = newCustomer(userId, past);
    const { result } = await this.provider.call((stripe) => stripe.customers.create(...wanted), waiting);
    this.crash.pass('customer_made');
    await this.dataSource.query(
      `INSERT INTO customers (customer_id, user_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [result.id, userId, new Date(result.created * 1_000)],
    );
    this.crash.pass('customer_stored');
    await this.leaveAgain(userId);
    return result.id;
  }

  /** Somebody who left while their customer was made leaves once more: the worker has perhaps not seen it. */
  private async leaveAgain(userId: string): Promise<void> {
    const [, departed] = await this.dataSource.query<[unknown, number]>(
      'UPDATE departures SET done_at = NULL, due_at = $2 WHERE user_id = $1',
      [userId, this.clock.now()],
    );
    if (departed > 0) throw new Unauthorized();
  }
}

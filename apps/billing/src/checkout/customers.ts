import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Unauthorized } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { BillingConfig, type CrashPoint } from '../billing.config';
import { ProviderRefusal, StripeApi, type WaitingTime } from '../provider/stripe-api';
import { Customer, Departure } from '../subscriptions/subscriptions.entities';
import type { PortalBody, PortalView } from './checkout.dto';
import { misconfigured, NoSubscription } from './checkout.errors';

/**
 * The request to the provider: a second one within a day gets the same customer.
 * @param past customers that the user has had before
 */
export function newCustomer(userId: string, past: number) {
  return [{ metadata: { user_id: userId } }, { idempotencyKey: `customer-${userId}-${past}` }] as const;
}

/** Remembers a customer whom the provider has made; one who is known already stays as they are. */
export async function addCustomer(
  manager: EntityManager,
  { id, created }: { id: string; created: number },
  userId: string,
): Promise<void> {
  const customer = { customerId: id, userId, createdAt: new Date(created * 1_000) };
  await manager.createQueryBuilder().insert().into(Customer).values(customer).orIgnore().execute();
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
  async execute(userId: string, { present, past }: Customers, waiting: WaitingTime): Promise<string> {
    if (present !== null) return present;
    const wanted = newCustomer(userId, past);
    const { result } = await this.provider.call((stripe) => stripe.customers.create(...wanted), waiting);
    this.crash.pass('customer_made');
    await addCustomer(this.dataSource.manager, result, userId);
    this.crash.pass('customer_stored');
    // Somebody who left while their customer was made leaves once more: the worker has perhaps not seen it.
    const again = { doneAt: null, dueAt: this.clock.now() };
    const { affected } = await this.dataSource.manager.update(Departure, { userId }, again);
    if (affected !== 0) throw new Unauthorized();
    return result.id;
  }

  async of(userId: string): Promise<Customers> {
    const order = { createdAt: 'DESC', customerId: 'ASC' } as const;
    const all = await this.dataSource.manager.find(Customer, { where: { userId }, order });
    const there = all.filter(({ deletedAt }) => deletedAt === null);
    return { present: there[0]?.customerId ?? null, past: all.length - there.length };
  }

  /** The provider says that it has no such customer any more. */
  async forget(customerId: string): Promise<void> {
    const present = { customerId, deletedAt: IsNull() };
    await this.dataSource.manager.update(Customer, present, { deletedAt: this.clock.now() });
  }
}

/** Opens the page of the provider for card, invoices and cancellation. */
@Injectable()
export class OpenPortal {
  constructor(
    private readonly config: BillingConfig,
    private readonly customers: MakeCustomer,
    private readonly provider: StripeApi,
  ) {}

  /** @throws NoSubscription, ProviderNotConfigured, ProviderUnavailable */
  async execute(userId: string, { flow }: PortalBody): Promise<PortalView> {
    const { present: customer } = await this.customers.of(userId);
    if (customer === null) throw new NoSubscription();
    const { baseUrl, BILLING_RETURN_URL: return_url = baseUrl } = this.config;
    const wanted = {
      customer,
      return_url,
      ...(flow && { flow_data: { type: 'payment_method_update' } as const }),
    };
    try {
      const { result } = await this.provider.call((stripe) => stripe.billingPortal.sessions.create(wanted));
      return { portal_url: result.url };
    } catch (error) {
      if (!(error instanceof ProviderRefusal) || !error.isMissing || error.param !== 'customer') {
        throw misconfigured(error);
      }
      await this.customers.forget(customer);
      throw new NoSubscription();
    }
  }
}

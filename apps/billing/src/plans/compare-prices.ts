import { PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { integerAt, textAt, type ProviderObject } from '../provider/members';
import { ProviderRefusal, StripeApi } from '../provider/stripe-api';

/** A plan whose price at the provider is not the one that the catalogue shows. */
export interface PriceDifference {
  plan: PaidPlanCode;
  detail: string;
}

/** The catalogue against the price that the provider would charge. */
@Injectable()
export class ComparePrices {
  constructor(
    private readonly config: BillingConfig,
    private readonly provider: StripeApi,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores what it finds: a plan is sold only as it was compared.
   * @throws ProviderNotConfigured, ProviderUnavailable, ProviderRefusal
   */
  async execute(plan: PaidPlanCode, dataSource: DataSource): Promise<PriceDifference | null> {
    const difference = await this.compare(plan);
    await dataSource.query(
      `INSERT INTO compared_prices (plan_code, price_id, amount_cents, compared_at, difference)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (plan_code, price_id, amount_cents) DO UPDATE SET
         compared_at = excluded.compared_at, difference = excluded.difference`,
      [plan, this.config.prices[plan], this.config.priceCents[plan], this.clock.now(), difference?.detail ?? null],
    );
    return difference;
  }

  /** @throws ProviderNotConfigured, ProviderUnavailable, ProviderRefusal */
  async compare(plan: PaidPlanCode): Promise<PriceDifference | null> {
    const price = this.config.prices[plan]!;
    const theirs = await this.find(price);
    if (theirs === null) return { plan, detail: `${price} is not known there` };
    const members: readonly (readonly [string, unknown, unknown])[] = [
      ['cents', this.config.priceCents[plan], integerAt(theirs, 'unit_amount')],
      ['currency', 'usd', textAt(theirs, 'currency')],
      ['interval', PLANS[plan].interval, textAt(theirs, 'recurring', 'interval')],
    ];
    const different = members.filter(([, here, there]) => here !== there);
    const isOne = (integerAt(theirs, 'recurring', 'interval_count') ?? 1) === 1;
    const said = [
      ...different.map(([name, here, there]) => `${name}: ${String(here)} here, ${String(there)} there`),
      ...(theirs['active'] === false ? ['not active there'] : []),
      ...(isOne ? [] : ['of several intervals there']),
    ];
    return said.length === 0 ? null : { plan, detail: said.join('; ') };
  }

  private async find(price: string): Promise<ProviderObject | null> {
    try {
      return (await this.provider.call((stripe) => stripe.prices.retrieve(price))).result as object as ProviderObject;
    } catch (error) {
      if (error instanceof ProviderRefusal && error.isMissing) return null;
      throw error;
    }
  }
}
